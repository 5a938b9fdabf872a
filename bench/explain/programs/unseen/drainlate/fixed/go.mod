module example.com/drainlate

go 1.26
