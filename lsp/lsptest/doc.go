// Package lsptest is a client of the Language Server Protocol for tests. It
// writes and reads the bytes of the protocol itself and shares no code with the
// server, so that both can't be wrong in the same way.
//
//	c := lsptest.Connect(t, func(in io.Reader, out io.Writer) error { return lsp.Serve(…) })
//	c.Initialize(nil)
//	c.Open("file:///a/a_test.go", text)
//	result, err := c.Request("textDocument/hover", params)
//	c.WaitNotification("textDocument/publishDiagnostics", func(p json.RawMessage) bool { … })
//	c.Shutdown()
//
// Params are anything that encoding/json takes; map[string]any is Object.
// Requests of the server are answered by what Handle was given, else with null
// (workspace/configuration: a null for each item). Waiting has a limit, after
// which the test fails with the last messages.
package lsptest
