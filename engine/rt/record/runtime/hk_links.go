//go:build hocket_overlay

package runtime

import _ "unsafe"

// What sync, sync/atomic and internal/poll may refer to.

//go:linkname hkFollows
//go:linkname hkMode
//go:linkname hkGate
//go:linkname hkDid
//go:linkname hkLock
//go:linkname hkFailed
//go:linkname hkFailedEnd
//go:linkname hkChose
//go:linkname hkBegin
//go:linkname hkBeginAt
//go:linkname hkEnd
//go:linkname hkLeave
//go:linkname hkPoolGet
//go:linkname hkPoolPut
//go:linkname hkCounted
//go:linkname hkWaitFlag
//go:linkname hkLoad32
//go:linkname hkStore32
//go:linkname hkSwap32
//go:linkname hkCas32
//go:linkname hkAdd32
//go:linkname hkAnd32
//go:linkname hkOr32
//go:linkname hkLoad64
//go:linkname hkStore64
//go:linkname hkSwap64
//go:linkname hkCas64
//go:linkname hkAdd64
//go:linkname hkAnd64
//go:linkname hkOr64
//go:linkname hkLoadPtr
//go:linkname hkStorePtr
//go:linkname hkSwapPtr
//go:linkname hkCasPtr
//go:linkname hkFileBegins
//go:linkname hkFileWants
//go:linkname hkFileEnds
//go:linkname hkFileNap
//go:linkname hkAddAt
//go:linkname hkReadAt
//go:linkname hkUnlockAt
//go:linkname hkLoad
