module example.com/races_config

go 1.26
