module example.com/fsm

go 1.26
