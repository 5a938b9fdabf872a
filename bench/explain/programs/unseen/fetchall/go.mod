module example.com/fetchall

go 1.26
