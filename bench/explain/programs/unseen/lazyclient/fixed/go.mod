module example.com/lazyclient

go 1.26
