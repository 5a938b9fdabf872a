module example.com/prioqueue

go 1.26
