module example.com/eventhub

go 1.26
