module example.com/statusread

go 1.26
