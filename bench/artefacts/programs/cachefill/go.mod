module example.com/cachefill

go 1.26
