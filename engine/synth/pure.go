package synth

import (
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/go/ssa"
)

// pure are functions whose result follows from scalars and texts alone; they are
// called, not executed.
var pure = map[string]any{
	"strings.Contains": strings.Contains, "strings.ContainsAny": strings.ContainsAny, "strings.ContainsRune": strings.ContainsRune,
	"strings.Count": strings.Count, "strings.EqualFold": strings.EqualFold, "strings.Fields": strings.Fields,
	"strings.HasPrefix": strings.HasPrefix, "strings.HasSuffix": strings.HasSuffix, "strings.Index": strings.Index,
	"strings.IndexAny": strings.IndexAny, "strings.IndexByte": strings.IndexByte, "strings.IndexRune": strings.IndexRune,
	"strings.Join": strings.Join, "strings.LastIndex": strings.LastIndex, "strings.Repeat": strings.Repeat,
	"strings.Replace": strings.Replace, "strings.ReplaceAll": strings.ReplaceAll, "strings.Split": strings.Split,
	"strings.SplitN": strings.SplitN, "strings.ToLower": strings.ToLower, "strings.ToUpper": strings.ToUpper,
	"strings.Trim": strings.Trim, "strings.TrimLeft": strings.TrimLeft, "strings.TrimRight": strings.TrimRight,
	"strings.TrimPrefix": strings.TrimPrefix, "strings.TrimSuffix": strings.TrimSuffix, "strings.TrimSpace": strings.TrimSpace,
	"strings.Compare": strings.Compare, "strings.Cut": strings.Cut, "strings.CutPrefix": strings.CutPrefix,
	"strconv.Itoa": strconv.Itoa, "strconv.FormatInt": strconv.FormatInt, "strconv.FormatBool": strconv.FormatBool, "strconv.Quote": strconv.Quote,
	"unicode.IsLetter": unicode.IsLetter, "unicode.IsDigit": unicode.IsDigit, "unicode.IsSpace": unicode.IsSpace,
	"unicode.IsUpper": unicode.IsUpper, "unicode.ToUpper": unicode.ToUpper, "unicode.ToLower": unicode.ToLower,
	"unicode/utf8.RuneCountInString": utf8.RuneCountInString, "unicode/utf8.ValidString": utf8.ValidString, "unicode/utf8.RuneLen": utf8.RuneLen,
}

func purely(name string) handler {
	fn, ok := pure[name]
	if !ok {
		return nil
	}
	return func(_ *frame, _ *ssa.Function, args []value) value {
		v := reflect.ValueOf(fn)
		in := make([]reflect.Value, len(args))
		for i, a := range args {
			x, ok := native1(a, v.Type().In(i))
			if !ok {
				return unknown{"what " + name + " returns"}
			}
			in[i] = x
		}
		out := v.Call(in)
		if len(out) == 1 {
			return fromNative(out[0])
		}
		t := make(tuple, len(out))
		for i := range out {
			t[i] = fromNative(out[i])
		}
		return t
	}
}

// native1 is an argument as Go has it; false if it is not known.
func native1(v value, t reflect.Type) (reflect.Value, bool) {
	switch v := v.(type) {
	case string, bool, int64, float64:
		x := reflect.ValueOf(v)
		if !x.CanConvert(t) || (t.Kind() == reflect.String) != (x.Kind() == reflect.String) {
			return x, false
		}
		return x.Convert(t), true
	case slice:
		s := reflect.MakeSlice(t, 0, len(v.arr))
		for _, e := range v.arr {
			x, ok := native1(e, t.Elem())
			if !ok {
				return s, false
			}
			s = reflect.Append(s, x)
		}
		return s, true
	}
	return reflect.Value{}, false
}

func fromNative(v reflect.Value) value {
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Bool:
		return v.Bool()
	case reflect.Slice:
		s := slice{arr: []value{}, in: &allocation{local: true}}
		for i := range v.Len() {
			s.arr = append(s.arr, fromNative(v.Index(i)))
		}
		return s
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uint:
		return int64(v.Uint())
	}
	return v.Int()
}
