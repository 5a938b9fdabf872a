package image

import "strings"

// FuncPackage returns the import path of a function's full name, as the
// binary spells it.
func FuncPackage(name string) string {
	pkg, _ := SplitFunc(name)
	return pkg
}

// SplitFunc splits "example.com/m.(*T).run" into package and rest. Type
// arguments may hold slashes and dots and are ignored.
func SplitFunc(name string) (pkg, rest string) {
	head, _, _ := strings.Cut(name, "[")
	slash := strings.LastIndexByte(head, '/') + 1
	dot := strings.IndexByte(head[slash:], '.')
	if dot < 0 {
		return "", name
	}
	return name[:slash+dot], name[slash+dot+1:]
}

// DropTypeArgs removes type arguments but keeps a leading "[]" or "[4]".
func DropTypeArgs(s string) string {
	lead := ""
	if strings.HasPrefix(s, "[") {
		i := strings.IndexByte(s, ']') + 1
		lead, s = s[:i], s[i:]
	}
	depth := 0
	kept := strings.Map(func(r rune) rune {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth = max(depth-1, 0)
			return -1
		}
		if depth > 0 {
			return -1
		}
		return r
	}, s)
	return lead + kept
}
