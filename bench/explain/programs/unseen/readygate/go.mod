module example.com/readygate

go 1.26
