// What the detector needs of the rest of Hocket's runtime half, as little as
// makes package runtime compile.
package runtime

import "unsafe"

func hkSysAlloc(n uintptr) unsafe.Pointer { return sysReserve(nil, n, "hocket") }

func hkRaceReport(addr uintptr, gid1, pc1 uint32, write1 bool, gid2 uint32, pc2 uintptr, write2 bool) {
}

func hkSharedFound(granule uintptr) {}
