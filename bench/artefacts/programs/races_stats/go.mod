module example.com/races_stats

go 1.26
