module example.com/rwmix

go 1.26
