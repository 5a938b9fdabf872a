module example.com/rounds

go 1.26
