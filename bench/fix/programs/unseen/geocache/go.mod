module example.com/geocache

go 1.26
