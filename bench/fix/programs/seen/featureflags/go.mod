module example.com/featureflags

go 1.26
