module example.com/leasequota

go 1.26
