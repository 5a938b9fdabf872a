module example.com/timeouts_events

go 1.26
