module example.com/barrier

go 1.26
