package libz3

// otherLibrary is one that every machine has.
const otherLibrary = "libm.so.6"
