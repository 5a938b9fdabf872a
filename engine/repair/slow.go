package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// slow are functions and methods of the standard library that take as long as a disk, a
// network or another program does, by package and name. Those of interfaces are here, too:
// what is behind io.Reader may be anything.
var slow = map[string][]string{
	"bufio": {"Flush", "ReadByte", "ReadBytes", "ReadLine", "ReadRune", "ReadString"},
	"database/sql": {"Begin", "BeginTx", "Commit", "Conn", "Exec", "ExecContext", "Ping", "PingContext", "Prepare", "PrepareContext",
		"Query", "QueryContext", "QueryRow", "QueryRowContext", "Rollback"},
	"io":  {"Copy", "CopyBuffer", "CopyN", "Read", "ReadAll", "ReadAtLeast", "ReadFull", "Write", "WriteString"},
	"net": {"DialContext", "DialTCP", "DialUDP", "DialUnix", "LookupAddr", "LookupHost", "LookupIP", "ReadFrom", "WriteTo"},
	"os": {"Create", "CreateTemp", "Lstat", "Mkdir", "MkdirAll", "MkdirTemp", "Open", "OpenFile", "Read", "ReadAt", "ReadDir", "ReadFile", "ReadFrom",
		"Remove", "RemoveAll", "Rename", "Stat", "Sync", "Truncate", "Write", "WriteAt", "WriteFile", "WriteString"},
	"os/exec": {"Start"},
}

// tellSlow tells which slow calls a node makes with a lock held. As it was says that they
// were made so before.
func (s *search) tellSlow(d *Draft, fn function, n ast.Node, lock string, asItWas bool) {
	at, name := s.slowCall(fn, n, asItWas, 0, map[*types.Func]bool{})
	switch {
	case name == "":
	case asItWas:
		d.Tell("as before, %s is held while line %d calls %s", lock, s.Code.line(at), name)
	default:
		d.Tell("%s is held while line %d calls %s: who needs it waits as long", lock, s.Code.line(at), name)
		d.weight += 6
	}
}

// slowCall is the first slow call in a node, or call that comes to one, and the name of the
// function of the standard library. With waiting, those that wait for others count, too.
func (s *search) slowCall(fn function, n ast.Node, waiting bool, depth int, seen map[*types.Func]bool) (at token.Pos, name string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if name != "" {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt:
			return false
		case *ast.CallExpr:
			callee := s.callee(fn.pkg.Info, n)
			if callee == nil || callee.Pkg() == nil || seen[callee] {
				return true
			}
			path := callee.Pkg().Path()
			if slices.Contains(slow[path], callee.Name()) || waiting && path != "sync" && slices.Contains(waits[path], callee.Name()) {
				at, name = n.Pos(), fullName(callee)
				return false
			}
			seen[callee] = true
			if f, ok := s.bodyOf(callee); ok && depth < maxDepth {
				if _, below := s.slowCall(f, body(f.node), waiting, depth+1, seen); below != "" {
					at, name = n.Pos(), below
				}
			}
		}
		return name == ""
	})
	return at, name
}

// fullName is a function with its package, or a method with its type: "os.ReadFile",
// "net.Conn.Read".
func fullName(fn *types.Func) string {
	name := fn.Pkg().Name() + "."
	if recv := fn.Signature().Recv(); recv != nil {
		name += recvName(recv) + "."
	}
	return name + fn.Name()
}
