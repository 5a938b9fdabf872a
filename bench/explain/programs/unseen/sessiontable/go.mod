module example.com/sessiontable

go 1.26
