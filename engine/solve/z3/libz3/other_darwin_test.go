package libz3

// otherLibrary is one that every machine has.
const otherLibrary = "/usr/lib/libSystem.B.dylib"
