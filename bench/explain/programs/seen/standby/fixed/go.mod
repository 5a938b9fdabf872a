module example.com/standby

go 1.26
