package protocol

// MethodChanged is Hocket's own: a notification, without content, to clients that have
// asked for it (experimental.hocketChanges). What hocket.list answers has changed, and how
// the tests of hocket.tests stand. Tests that come and go are not told.
const MethodChanged = "hocket/changed"

// Changed is its parameter.
type Changed struct{}
