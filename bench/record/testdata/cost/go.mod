module cost

go 1.26
