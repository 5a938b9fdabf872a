module example.com/cachettl

go 1.26
