module example.com/spanbatch

go 1.26
