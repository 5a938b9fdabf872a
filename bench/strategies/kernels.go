package main

// kernels are those of the Go distribution (1.26) that are compared, each started
// once: programs under control with a leak or a deadlock that some schedules have
// and others lack, as `-all-kernels` showed. Left out are
//   - 23 that fail under every schedule tried, which says nothing about strategies;
//   - Cockroach9935, Grpc660, Kubernetes5316, Kubernetes62464 and Moby21233, which
//     draw a random number and fail, or not, by that;
//   - Cockroach2448, Kubernetes11298, Moby27782 and Moby33781, which no strategy
//     found: goroutines that poll, and timers, whose order is not searched.
var kernels = []string{
	"Cockroach10214", "Cockroach1055", "Cockroach10790", "Cockroach1462", "Cockroach16167",
	"Cockroach3710", "Cockroach6181", "Cockroach7504",
	"Etcd5509", "Etcd6857", "Etcd6873", "Etcd7492", "Etcd7902",
	"Grpc1460", "Grpc3017", "Grpc795",
	"Hugo3251", "Hugo5379",
	"Istio16224", "Istio17860", "Istio18454",
	"Kubernetes10182", "Kubernetes1321", "Kubernetes13135", "Kubernetes26980",
	"Kubernetes30872", "Kubernetes58107", "Kubernetes6632",
	"Moby28462", "Moby4951", "Serving2137",
}
