module example.com/symbols

go 1.26
