package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// The arguments of the commands: one object each, of which every field may be
// absent unless its command says otherwise.
type (
	findArguments struct {
		URI       string    `json:"uri"`      // any file of the package
		Entry     string    `json:"entry"`    // "TestX", "TestX/sub", "ExampleX", "main"
		Position  *position `json:"position"` // of the entry, if that is not named
		Pattern   string    `json:"pattern"`  // packages, as in "hocket find"
		Budget    string    `json:"budget"`
		Schedules *int      `json:"schedules"`
		Strategy  string    `json:"strategy"`
		From      string    `json:"from"` // a recorded run that the search starts from: id, file, "last"
		delivery
	}
	replayArguments struct {
		ID       string    `json:"id"`
		URI      string    `json:"uri"`      // any file of the module
		Position *position `json:"position"` // of the finding, if it is not named
		Runs     *int      `json:"runs"`
		Level    string    `json:"level"`
		delivery
	}
	explainArguments struct {
		ID       string    `json:"id"`
		URI      string    `json:"uri"`
		Position *position `json:"position"` // of the finding, if it is not named
		Format   string    `json:"format"`
		Open     *bool     `json:"open"` // default true
	}
	cancelArguments struct {
		Job string `json:"job"` // default: all
	}
	listArguments struct {
		URI string `json:"uri"` // default: all modules that are open
	}
)

// delivery says how the outcome of a job comes.
type delivery struct {
	Show bool  `json:"show"` // as a message to the user too
	Wait *bool `json:"wait"` // default true: with the answer of the request
}

func (d delivery) waits() bool { return d.Wait == nil || *d.Wait }

type position struct {
	Line      *uint32 `json:"line"`
	Character *uint32 `json:"character"`
}

// at is the protocol's position; a missing character is the line's start.
func (p *position) at(command string) (protocol.Position, error) {
	if p == nil {
		return protocol.Position{}, invalid(command, "neither an id nor a position says what is meant; put the cursor on the finding in its file")
	}
	if p.Line == nil {
		return protocol.Position{}, invalid(command, `position has no line; it is {"line": 0, "character": 0}, both counted from 0`)
	}
	at := protocol.Position{Line: *p.Line}
	if p.Character != nil {
		at.Character = *p.Character
	}
	return at, nil
}

// invalid is the answer to arguments that are invalid.
func invalid(command, format string, args ...any) error {
	return protocol.Errorf(protocol.InvalidParams, "%s: %s", command, fmt.Sprintf(format, args...))
}

// decodeArguments reads the one argument of a command into a struct. No
// argument is an empty object. Fields that no command has are refused, for they
// are mistakes that would otherwise search something else than intended;
// those of other commands are ignored, so that a client may send what it
// knows of the cursor with every command.
func decodeArguments(command string, args []protocol.LSPAny, into any) error {
	switch {
	case len(args) > 1:
		return invalid(command, "%d arguments; it takes one object with the fields %s", len(args), fieldsOf(into))
	case len(args) == 0 || string(bytes.TrimSpace(args[0])) == "null":
		return nil
	}
	var fields map[string]json.RawMessage
	err := json.Unmarshal(args[0], &fields)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(knownFields(), name) {
			return invalid(command, "unknown field %q; the fields are %s", name, fieldsOf(into))
		}
	}
	if err == nil {
		err = json.Unmarshal(args[0], into)
	}
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong) && wrong.Field == "":
		return invalid(command, "its argument is a JSON %s; it takes an object with the fields %s", wrong.Value, fieldsOf(into))
	case errors.As(err, &wrong):
		return invalid(command, "%s is a JSON %s; it must be %s", wrong.Field, wrong.Value, kindName(wrong.Type))
	}
	return invalid(command, "invalid argument: %v", err)
}

// knownFields are those of all commands.
func knownFields() (names []string) {
	for _, v := range []any{&findArguments{}, &replayArguments{}, &explainArguments{}, &cancelArguments{}, &listArguments{}, &debugArguments{},
		&breakSetArguments{}, &breakPairArguments{}, &breakEditArguments{}, &breakRemoveArguments{}, &breakRunArguments{}, &breakDebugArguments{},
		&breakFromArguments{}, &conflictsArguments{}, &fixArguments{}, &applyFixArguments{}, &fromArguments{}, &dumpArguments{}, &recordArguments{}, &chooseArguments{}, &testsArguments{}, &forgetArguments{},
		&scheduleArguments{}, &whatIfArguments{}} {
		names = append(names, strings.Split(fieldsOf(v), ", ")...)
	}
	return names
}

func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Uint32:
		return "an integer"
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "an array"
	}
	return "an object"
}

func fieldsOf(v any) string {
	var names []string
	for _, f := range reflect.VisibleFields(reflect.TypeOf(v).Elem()) {
		if tag := f.Tag.Get("json"); tag != "" {
			names = append(names, tag)
		}
	}
	return strings.Join(names, ", ")
}

// check refuses what the command line would refuse, before anything starts.
func (a *findArguments) check() error {
	const command = commandFind
	if a.Entry != "" && a.Pattern != "" {
		return invalid(command, "entry and pattern can't be combined; an entry is one test of the package that uri names")
	}
	if a.Schedules != nil && *a.Schedules <= 0 {
		return invalid(command, "schedules is %d; it must be at least 1", *a.Schedules)
	}
	if a.Budget != "" {
		if d, err := time.ParseDuration(a.Budget); err != nil || d <= 0 {
			return invalid(command, "invalid budget %s: it must be a duration above zero, such as \"60s\" or \"2m\"", strconv.Quote(a.Budget))
		}
	}
	if strings.HasPrefix(a.Pattern, "-") {
		return invalid(command, "invalid pattern %s: it must name packages, such as \"./...\"", strconv.Quote(a.Pattern))
	}
	if strings.HasPrefix(a.Strategy, "-") || strings.ContainsAny(a.Strategy, " \n") {
		return invalid(command, "invalid strategy %s: it must be one of %s", strconv.Quote(a.Strategy), strings.Join(engine.Strategies(), ", "))
	}
	return checkFrom(a)
}

func (a *replayArguments) check() error {
	const command = commandReplay
	if err := namesFinding(command, a.ID, a.URI, a.Position); err != nil {
		return err
	}
	if a.Runs != nil && *a.Runs <= 0 {
		return invalid(command, "runs is %d; it must be at least 1", *a.Runs)
	}
	if levels := []string{"", "controlled", "pinned", "native"}; !slices.Contains(levels, a.Level) {
		return invalid(command, "invalid level %s: it must be one of %s", strconv.Quote(a.Level), strings.Join(levels[1:], ", "))
	}
	return nil
}

func (a *explainArguments) check() error {
	const command = commandExplain
	switch a.Format {
	case "":
		a.Format = "markdown"
	case "markdown", "text", "svg", "html", "dot":
	default:
		return invalid(command, "invalid format %s: it must be one of markdown, text, svg, html, dot", strconv.Quote(a.Format))
	}
	return namesFinding(command, a.ID, a.URI, a.Position)
}

// namesFinding refuses arguments that do not determine a finding.
func namesFinding(command, id, uri string, at *position) error {
	if id == "" && (uri == "" || at == nil) {
		return invalid(command, "id is missing, and so is a location (uri and position) of a finding; hocket.list lists the findings")
	}
	return nil
}
