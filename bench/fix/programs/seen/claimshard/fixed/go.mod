module example.com/claimshard

go 1.26
