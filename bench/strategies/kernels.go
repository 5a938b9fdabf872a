package main

// kernels are those of the Go distribution (1.26) that are compared, each started
// once: programs under control whose failure, a leak or deadlock that replays, some
// schedules have and others lack. Left out are kernels that fail under every
// schedule, and those whose goroutines spin or loop a hundred thousand times, so
// that a run takes longer than a search; -all-kernels adds them.
var kernels = []string{
	"Cockroach10214", "Cockroach1055", "Cockroach10790", "Cockroach1462", "Cockroach16167",
	"Cockroach3710", "Cockroach584", "Cockroach6181", "Cockroach7504", "Cockroach9935",
	"Etcd10492", "Etcd6857", "Etcd6873", "Etcd7492", "Etcd7902",
	"Grpc1460", "Grpc660", "Grpc795",
	"Hugo5379", "Istio16224", "Istio17860", "Istio18454",
	"Kubernetes10182", "Kubernetes11298", "Kubernetes13135", "Kubernetes26980", "Kubernetes30872",
	"Kubernetes62464", "Kubernetes6632", "Kubernetes70277",
	"Moby4951", "Moby21233", "Moby27782", "Moby28462", "Moby36114", "Serving2137",
}
