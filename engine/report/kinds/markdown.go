package kinds

import (
	"fmt"
	"strings"
)

// Markdown is the doc below a heading of the level whose anchor is the ID.
func (d Doc) Markdown(level int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n\n%s.\n\n%s\n", strings.Repeat("#", level), d.ID, upper(d.Title), d.Text)
	if d.Before != "" {
		fmt.Fprintf(&b, "\nWith the bug:\n\n```go\n%s```\n\nWithout:\n\n```go\n%s```\n", d.Before, d.After)
	}
	fmt.Fprintf(&b, "\nHow to fix it: %s\n", lower(d.Fix))
	return b.String()
}

// WayOut is the first sentence of Fix, on one line.
func (d Doc) WayOut() string {
	fix := strings.Join(strings.Fields(d.Fix), " ")
	if first, _, ok := strings.Cut(fix, ". "); ok {
		return first + "."
	}
	return fix
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }
