module example.com/crowd

go 1.26
