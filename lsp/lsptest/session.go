package lsptest

import "encoding/json"

// Initialize sends initialize, waits, and sends initialized. params are put over
// those of a modern client without a folder.
func (c *Client) Initialize(params Object) (result json.RawMessage) {
	c.t.Helper()
	p := Object{"processId": nil, "rootUri": nil, "capabilities": Capabilities()}
	for k, v := range params {
		p[k] = v
	}
	c.Must("initialize", p, &result)
	c.Notify("initialized", Object{})
	return result
}

// Capabilities are those of a modern editor.
func Capabilities() Object {
	return Object{
		"general": Object{"positionEncodings": []string{"utf-16"}, "markdown": Object{"parser": "marked", "version": "1"}},
		"window":  Object{"workDoneProgress": true, "showDocument": Object{"support": true}},
		"workspace": Object{"configuration": true, "workspaceFolders": true, "codeLens": Object{"refreshSupport": true},
			"didChangeConfiguration": Object{"dynamicRegistration": true}, "didChangeWatchedFiles": Object{"dynamicRegistration": true}},
		"textDocument": Object{"hover": Object{"contentFormat": []string{"markdown", "plaintext"}}},
	}
}

// Open opens a Go document, version 1.
func (c *Client) Open(uri, text string) {
	c.Notify("textDocument/didOpen", Object{"textDocument": Object{"uri": uri, "languageId": "go", "version": 1, "text": text}})
}

// Edit is one change of a document: the text between two positions, or all of
// it if there is no range.
type Edit struct {
	Range *[4]int // line, character, line, character
	Text  string
}

// Change sends edits.
func (c *Client) Change(uri string, version int, edits ...Edit) {
	changes := []any{}
	for _, e := range edits {
		change := Object{"text": e.Text}
		if r := e.Range; r != nil {
			change["range"] = Range(r[0], r[1], r[2], r[3])
		}
		changes = append(changes, change)
	}
	c.Notify("textDocument/didChange", Object{"textDocument": Object{"uri": uri, "version": version}, "contentChanges": changes})
}

// Close closes a document.
func (c *Client) Close(uri string) {
	c.Notify("textDocument/didClose", Object{"textDocument": Object{"uri": uri}})
}

// Save tells of a document written to disk.
func (c *Client) Save(uri string) {
	c.Notify("textDocument/didSave", Object{"textDocument": Object{"uri": uri}})
}

// Range is a range as it is sent.
func Range(l1, c1, l2, c2 int) Object {
	return Object{"start": Object{"line": l1, "character": c1}, "end": Object{"line": l2, "character": c2}}
}

// At is the params of a request about a position.
func At(uri string, line, character int) Object {
	return Object{"textDocument": Object{"uri": uri}, "position": Object{"line": line, "character": character}}
}

// Shutdown ends the session as the specification wants it, and fails the test
// if the server does not end well, or broke the protocol before.
func (c *Client) Shutdown() {
	c.t.Helper()
	c.Must("shutdown", nil, nil)
	c.Notify("exit", nil)
	if err := c.Ended(); err != nil {
		c.t.Errorf("the server ended with %v", err)
	}
	for _, p := range c.Problems() {
		c.t.Error(p)
	}
}
