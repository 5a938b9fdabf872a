module example.com/races_done

go 1.26
