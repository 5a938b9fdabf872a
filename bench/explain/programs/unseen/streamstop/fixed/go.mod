module example.com/streamstop

go 1.26
