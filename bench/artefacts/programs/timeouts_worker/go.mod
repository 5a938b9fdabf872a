module example.com/timeouts_worker

go 1.26
