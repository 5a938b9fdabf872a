module example.com/treemove

go 1.26
