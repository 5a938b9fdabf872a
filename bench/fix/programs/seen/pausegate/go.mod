module example.com/pausegate

go 1.26
