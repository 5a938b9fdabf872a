module odd

go 1.26
