module example.com/reloader

go 1.26
