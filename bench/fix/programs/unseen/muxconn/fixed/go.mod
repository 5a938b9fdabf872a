module example.com/muxconn

go 1.26
