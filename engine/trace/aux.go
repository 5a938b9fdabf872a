package trace

// AuxTry is a bit of Event.Aux of OpSend and OpRecv: the operation is a select
// with one case and a default.
const AuxTry = 1 << 31
