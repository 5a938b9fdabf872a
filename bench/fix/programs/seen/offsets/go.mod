module example.com/offsets

go 1.26
