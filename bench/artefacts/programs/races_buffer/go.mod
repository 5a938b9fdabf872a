module example.com/races_buffer

go 1.26
