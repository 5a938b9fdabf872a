module example.com/probewatch

go 1.26
