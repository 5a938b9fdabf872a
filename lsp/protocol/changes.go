package protocol

// MethodChanged is Hocket's own: a notification, without content, to clients that have
// asked for it (experimental.hocketChanges). What hocket.list or hocket.tests answers
// has changed.
const MethodChanged = "hocket/changed"

// Changed is its parameter.
type Changed struct{}
