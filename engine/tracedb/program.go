package tracedb

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// A program as it is stored: what tells it apart, and the name of its tables, which
// the tests of a package share.

type head struct {
	Package string `json:"package"`
	Entry   string `json:"entry"`
	Mode    string `json:"mode"`
	Content string `json:"content"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

type described struct {
	head
	Tables string `json:"tables,omitempty"` // their sum; "" if the program has none
}

// tables of a program, see Program.
type tables struct {
	Functions map[string]string `json:"functions,omitempty"`
	Sites     []Site            `json:"sites,omitempty"`
}

func headOf(p *Program) head {
	return head{p.Package, p.Entry, p.Mode, p.Content, p.Go, p.OS, p.Arch}
}

func (d described) program(t tables) *Program {
	h := d.head
	return &Program{Package: h.Package, Entry: h.Entry, Mode: h.Mode, Content: h.Content, Go: h.Go, OS: h.OS, Arch: h.Arch,
		Functions: t.Functions, Sites: t.Sites}
}

// encodeTables returns a program's tables and their name, "" if it has none.
func encodeTables(p *Program) (name string, text []byte, err error) {
	if len(p.Functions) == 0 && len(p.Sites) == 0 {
		return "", nil, nil
	}
	text, err = json.Marshal(tables{p.Functions, p.Sites})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16]), text, err
}
