module example.com/probeall

go 1.26
