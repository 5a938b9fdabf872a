module example.com/taskboard

go 1.26
