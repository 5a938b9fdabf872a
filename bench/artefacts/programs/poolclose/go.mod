module example.com/poolclose

go 1.26
