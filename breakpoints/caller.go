package breakpoints

import (
	"reflect"
	"runtime"
	"strings"
)

// callerName is the function outside of this package that is being run.
//
//go:norace
func callerName() string {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, packagePath+".") {
			return f.Function
		}
		if !more {
			return ""
		}
	}
}

var packagePath = ownPath()

// evaluate calls a predicate of the user's; a panic there is false and said.
func evaluate(local func() (bool, []any)) (ok bool, values []any, fault string) {
	if local == nil {
		return true, nil, ""
	}
	defer func() {
		if p := recover(); p != nil {
			ok, values, fault = false, nil, describe(p)
		}
	}()
	ok, values = local()
	return ok, values, ""
}

// describe prints what was panicked with, calling no method of the user's.
func describe(p any) string {
	switch p := p.(type) {
	case runtime.Error:
		return p.Error()
	case string:
		return p
	}
	return "panic with a value of type " + reflect.TypeOf(p).String()
}
