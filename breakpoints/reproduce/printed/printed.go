// Package printed writes findings as Go test files, for `hocket test`.
//
// Invariants:
//   - What it prints compiles where it is put, whatever else the package
//     declares, is gofmt's output, and names no path of this machine.
//   - The standalone form needs only the standard library. Its machinery is
//     package reproduce with what that uses, made by this package's test and
//     kept here as text (machinery.txt, points.txt); the test also asserts
//     that it is current.
//
// The package imports only the standard library and package reproduce.
package printed

import (
	_ "embed"
	"fmt"
	"go/format"
	"reflect"
	"regexp"
	"strings"
	"unicode"

	"github.com/hocket-dev/hocket/breakpoints/reproduce"
)

// Test is a test file to print.
type Test struct {
	Finding    reproduce.Finding
	Package    string   // name of the package under test
	Order      []string // the steps in people's words
	Standalone bool
}

// machinery is package reproduce in one file, its names and those of its
// imports behind namePrefix; points is the package that is put into programs.
//
//go:embed machinery.txt
var machinery string

//go:embed points.txt
var points string

// namePrefix stands for the prefix of this file's own names.
const namePrefix = "hocketXX_"

// pointsMark is replaced by the texts of the points package.
const pointsMark = "/*POINTS*/"

const imported = "github.com/hocket-dev/hocket/breakpoints/reproduce"

// File is the test file's text.
func (t Test) File() (string, error) {
	own := "hocket" + letters(t.Finding.ID) + "_"
	var b strings.Builder
	t.head(&b)
	fmt.Fprintf(&b, "//go:build go1.25\n\npackage %s_test\n\n", strings.TrimSuffix(t.Package, "_test"))
	imports, body, _ := strings.Cut(machinery, "\n// Machinery")
	qualifier := "reproduce."
	if t.Standalone {
		qualifier = own
		b.WriteString(strings.ReplaceAll(imports, namePrefix, own))
	} else {
		fmt.Fprintf(&b, "import (\n\"testing\"\n\n%q\n)\n", imported)
	}
	testing := "testing"
	if t.Standalone {
		testing = own + "testing"
	}
	fmt.Fprintf(&b, "\n// %s reproduces finding %s.\nfunc %[1]s(t *%[3]s.T) {\n%[4]sRun(t, ", t.Name(), t.Finding.ID, testing, qualifier)
	l := literal{qualifier: qualifier, standalone: t.Standalone}
	l.value(&b, reflect.ValueOf(t.Finding), "")
	b.WriteString(")\n}\n")
	if t.Standalone {
		body = strings.Replace("\n// Machinery"+body, pointsMark, points, 1)
		b.WriteString(strings.ReplaceAll(body, namePrefix, own))
	}
	out, err := format.Source([]byte(b.String()))
	if err != nil {
		return "", fmt.Errorf("the printed test does not parse (a bug of Hocket's): %w", err)
	}
	return string(out), nil
}

// head is the comment that explains the file.
func (t Test) head(b *strings.Builder) {
	fmt.Fprintf(b, "// This test makes a concurrency bug happen (hocket test %s):\n//\n//\t%s\n//\n", t.Finding.ID, oneLine(t.Finding.Message))
	b.WriteString("// It builds the package once more with points at the statements below, runs\n" +
		"// it in this order, and fails if the bug shows:\n//\n")
	for i, s := range t.Order {
		fmt.Fprintf(b, "//\t%d. %s\n", i+1, oneLine(s))
	}
	b.WriteString("//\n// Where the order is not possible any more it passes, and go test -v says why.\n\n")
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Name is the test's: TestHocketPanicSell1a2b.
func (t Test) Name() string {
	entry := strings.TrimPrefix(t.Finding.Entry, "Test")
	return "TestHocket" + camel(t.Finding.Judge.Kind) + camel(entry) + letters(t.Finding.ID)
}

var notName = regexp.MustCompile(`[^\pL\pN]+`)

func camel(s string) string {
	var b strings.Builder
	for _, w := range notName.Split(s, -1) {
		for i, r := range w {
			if i == 0 {
				r = unicode.ToUpper(r)
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

// letters is an id as a part of a name.
func letters(id string) string { return notName.ReplaceAllString(id, "") }

// literal prints values of package reproduce's types as Go source.
type literal struct {
	qualifier  string
	standalone bool
}

func (l literal) value(b *strings.Builder, v reflect.Value, field string) {
	switch v.Kind() {
	case reflect.Struct:
		b.WriteString(l.typeName(v.Type()))
		l.fields(b, v)
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Struct {
			fmt.Fprintf(b, "%#v", v.Interface())
			return
		}
		fmt.Fprintf(b, "[]%s{\n", l.typeName(v.Type().Elem()))
		for i := range v.Len() {
			l.fields(b, v.Index(i))
			b.WriteString(",\n")
		}
		b.WriteString("}")
	case reflect.String:
		if s := v.String(); field == "Plan" && !strings.Contains(s, "`") {
			b.WriteString("`\n" + s + "`")
			return
		}
		fmt.Fprintf(b, "%q", v.String())
	default:
		fmt.Fprintf(b, "%#v", v.Interface())
	}
}

// fields prints those that are set, a line each in big structs.
func (l literal) fields(b *strings.Builder, v reflect.Value) {
	big := v.Type() == reflect.TypeFor[reproduce.Finding]() || v.Type() == reflect.TypeFor[reproduce.Statement]()
	b.WriteString("{")
	first := true
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() || v.Field(i).IsZero() || v.Field(i).Kind() == reflect.Pointer {
			continue
		}
		switch {
		case big:
			b.WriteString("\n")
		case !first:
			b.WriteString(" ")
		}
		first = false
		b.WriteString(f.Name + ": ")
		l.value(b, v.Field(i), f.Name)
		b.WriteString(",")
	}
	if big {
		b.WriteString("\n")
	}
	b.WriteString("}")
}

// typeName is the type as the file has it.
func (l literal) typeName(t reflect.Type) string {
	if t.PkgPath() == imported {
		return l.qualifier + t.Name()
	}
	if l.standalone {
		return l.qualifier + "file_" + t.Name()
	}
	return l.qualifier + t.Name() // an alias
}
