module github.com/hocket-dev/hocket

go 1.26
