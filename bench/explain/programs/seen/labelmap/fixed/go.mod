module example.com/labelmap

go 1.26
