module example.com/mailbox

go 1.26
