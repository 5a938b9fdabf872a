module example.com/timeouts_ledger

go 1.26
