module example.com/usagemeter

go 1.26
