module example.com/producers

go 1.26
