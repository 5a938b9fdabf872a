package bug

import (
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
)

// Bounds of one report.
const (
	maxMessage = 1000 // bytes
	maxFrames  = 40
)

// withoutTexts formats the arguments, all but numbers and booleans as their
// types.
func withoutTexts(format string, args []any) string {
	shown := make([]any, len(args))
	for i, a := range args {
		shown[i] = a
		if _, isRuntime := a.(runtime.Error); !isRuntime && !harmless(a) {
			shown[i] = typeOf{a}
		}
	}
	return fmt.Sprintf(strings.NewReplacer("%T", "%v", "%w", "%v").Replace(format), shown...)
}

// harmless values can hold no text: numbers, and booleans.
func harmless(a any) bool {
	if _, formats := a.(fmt.Formatter); formats {
		return false
	}
	if _, prints := a.(fmt.Stringer); prints {
		return false
	}
	if _, isError := a.(error); isError {
		return false
	}
	k := reflect.ValueOf(a).Kind()
	return k == reflect.Bool || k >= reflect.Int && k <= reflect.Float64
}

// typeOf prints the type of a value, whatever the verb.
type typeOf struct{ value any }

func (t typeOf) Format(w fmt.State, _ rune) { fmt.Fprintf(w, "<%T>", t.value) }

// panicText is what the runtime says of a panic; of other values only the type
// is known to be free of texts.
func panicText(p any) string {
	if err, ok := p.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("<%T>", p)
}

func shortened(s string) string {
	if len(s) > maxMessage {
		return strings.ToValidUTF8(s[:maxMessage], "") + "..."
	}
	return s
}

// stack is that of the caller's caller and so on, above skip functions of this
// package.
func stack(skip int) []runtime.Frame {
	pcs := make([]uintptr, maxFrames)
	return frames(pcs[:runtime.Callers(skip+2, pcs)])
}

// stackOfPanic starts at the function that panicked. Deferred functions run on
// top of it.
func stackOfPanic() []runtime.Frame {
	pcs := make([]uintptr, maxFrames+20)
	all := frames(pcs[:runtime.Callers(3, pcs)])
	for i, f := range all {
		if f.Function == "runtime.gopanic" {
			rest := all[i+1:]
			for len(rest) > 0 && strings.HasPrefix(rest[0].Function, "runtime.") { // of a nil pointer, of an index
				rest = rest[1:]
			}
			return rest[:min(len(rest), maxFrames)]
		}
	}
	return all[:min(len(all), maxFrames)]
}

func frames(pcs []uintptr) (out []runtime.Frame) {
	if len(pcs) == 0 {
		return nil
	}
	it := runtime.CallersFrames(pcs)
	for {
		f, more := it.Next()
		out = append(out, f)
		if !more {
			return out
		}
	}
}

// frameText names no folder of the machine that built Hocket.
func frameText(f runtime.Frame) string {
	var b strings.Builder
	io.WriteString(&b, f.Function)
	fmt.Fprintf(&b, " (%s:%d)", filepath.Base(f.File), f.Line)
	return b.String()
}
