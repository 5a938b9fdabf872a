module prims

go 1.26
