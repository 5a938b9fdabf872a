module example.com/races_lazy

go 1.26
