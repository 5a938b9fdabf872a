// Package protocol speaks the Language Server Protocol over two byte streams:
// frames, messages, their order, and what an answer looks like on the wire.
// It is the only package that imports go.lsp.dev; the types of the
// specification that the server uses are aliased here (types.go).
//
// go.lsp.dev supplies the types, their union-aware JSON, URIs, error codes and
// the typed client. The connection itself is written here, because the order of
// messages and what happens to malformed ones are promises of this server:
//
//   - Messages are looked at in order of arrival, by one goroutine. A
//     notification is carried out by it, so it must not block. A request is
//     prepared by it (Handler.Prepare: parameters decoded, the state of the
//     documents taken) and then worked on in a goroutine of its own. So a
//     request sees the documents as they were when it arrived, however many
//     edits follow it.
//   - Each well-formed request is answered exactly once: with its result, or
//     with an error: -32800 if it was cancelled, -32603 if the handler panicked
//     (the server goes on), -32601 if nobody knows the method.
//   - Nothing that a client sends closes the connection but the end of its
//     stream and "exit". What is not a message is answered with an error whose id
//     is null; when the framing itself is lost, reading goes on at the next
//     header (frames.go).
//   - Memory is bounded: a frame is at most MaxMessage long, and what waits to
//     be written is bounded too (outbox.go says what happens to a client that
//     does not read).
//
// Columns: the protocol counts UTF-16 code units unless agreed otherwise,
// everything else in this program counts bytes. Mapper is the only place where
// one becomes the other.
package protocol
