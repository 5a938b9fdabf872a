module example.com/ratewindow

go 1.26
