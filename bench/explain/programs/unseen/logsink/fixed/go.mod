module example.com/logsink

go 1.26
