module example.com/pollerhook

go 1.26
