module example.com/timeouts_upgrade

go 1.26
