module example.com/timeouts_limiter

go 1.26
