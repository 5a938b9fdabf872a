module example.com/timeouts_batch

go 1.26
