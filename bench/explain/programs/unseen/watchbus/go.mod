module example.com/watchbus

go 1.26
