module example.com/upstreams

go 1.26
