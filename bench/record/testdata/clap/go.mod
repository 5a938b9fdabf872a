module clap

go 1.26
