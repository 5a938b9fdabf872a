package dap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/hocket-dev/hocket/engine"
)

// Options of a session.
type Options struct {
	Delve string // path of dlv
	// Prepare makes the program that is debugged; Serve closes it.
	Prepare func(ctx context.Context, progress engine.Progress) (*engine.Debuggee, error)
}

// Serve serves one session to the editor that writes to in and reads from out.
// It returns when the editor is gone or the session has ended. A reader of in
// that can't be interrupted outlives it.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opt Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d, err := startDelve(ctx, opt.Delve)
	if err != nil {
		return err
	}
	s := &session{
		opt: opt, editor: newPeer(out), delve: newPeer(d.conn), process: d,
		calls: map[int]func(*message){}, stops: newStops(nil),
	}
	defer s.close()
	// Before the program is closed, its preparation must have ended.
	results := make(chan prepared, 1)
	s.prepare = func(launch *message) {
		s.preparing = true
		go func() {
			p, err := opt.Prepare(ctx, nil)
			results <- prepared{launch, p, err}
		}()
	}
	done := make(chan struct{})
	defer close(done)
	fromEditor, fromDelve := make(chan *message), make(chan *message)
	go read(in, fromEditor, done)
	go read(d.conn, fromDelve, done)
	for {
		select {
		case m, ok := <-fromEditor:
			if !ok {
				cancel()
				s.await(results)
				return nil
			}
			s.fromEditor(m)
		case m, ok := <-fromDelve:
			if !ok {
				cancel()
				s.await(results)
				s.delveGone()
				return nil
			}
			s.fromDelve(m)
		case p := <-results:
			s.preparing = false
			s.launch(p)
		case <-ctx.Done():
			s.await(results)
			s.delveGone()
			return ctx.Err()
		}
	}
}

// session is the state between the messages.
type session struct {
	opt       Options
	editor    *peer
	delve     *peer
	process   *delve
	calls     map[int]func(*message) // what to do with Delve's answers, by request
	open      []*message             // requests of the editor without an answer
	prepare   func(launch *message)
	preparing bool
	program   *engine.Debuggee
	stops     *stops
	ended     bool // the editor knows that the session is over
}

// prepared is the outcome of a preparation.
type prepared struct {
	launch  *message
	program *engine.Debuggee
	err     error
}

// await takes the outcome of a preparation that is under way.
func (s *session) await(c <-chan prepared) {
	if s.preparing {
		if p := <-c; p.program != nil {
			s.program = p.program
		}
	}
}

func (s *session) close() {
	// The program reads its schedule when it starts: Delve must have ended.
	s.process.close()
	if s.program != nil {
		s.program.Close()
	}
}

func (s *session) fromEditor(m *message) {
	if m.Type != "request" {
		s.delve.send(*m) // answers to reverse requests
		return
	}
	s.open = append(s.open, m)
	switch m.Command {
	case "launch":
		if s.preparing || s.program != nil {
			s.refuse(m, "the program has been launched already")
			return
		}
		s.say("hocket: building the program, and checking that it fails\n")
		s.prepare(m)
	case "attach":
		s.refuse(m, "hocket starts the program of a finding; use a launch request")
	case "setBreakpoints":
		s.setBreakpoints(m)
	case setFunctions, setInstructions:
		s.setOther(m)
	case "configurationDone":
		s.setRest(func() { s.forward(m, nil) })
	default:
		s.forward(m, nil)
	}
}

// launch starts the prepared program in the place of the editor's.
func (s *session) launch(p prepared) {
	if p.err != nil {
		s.refuse(p.launch, p.err.Error())
		return
	}
	s.program = p.program
	s.stops = newStops(p.program)
	m := *p.launch
	m.Arguments = launchArguments(m.Arguments, p.program)
	s.say(greeting(p.program))
	s.forward(&m, nil)
}

// passed are what an editor's launch configuration may set; all else is ours.
var passed = []string{
	"name", "type", "request", "noDebug", "stopOnEntry", "stackTraceDepth", "maxStringLen", "maxArrayValues",
	"showGlobalVariables", "showRegisters", "hideSystemGoroutines", "goroutineFilters", "showPprofLabels",
	"substitutePath", "showRawStrings", "trace", "__restart", "__sessionId",
}

func launchArguments(editor json.RawMessage, p *engine.Debuggee) json.RawMessage {
	theirs := fields(editor)
	args := map[string]json.RawMessage{"hideSystemGoroutines": raw(true)}
	for _, name := range passed {
		if v, ok := theirs[name]; ok {
			args[name] = v
		}
	}
	env := map[string]string{}
	for _, e := range p.Env {
		name, value, _ := strings.Cut(e, "=")
		env[name] = value
	}
	for name, v := range map[string]any{
		"mode": "exec", "program": p.Program, "args": append([]string{}, p.Args...), "cwd": p.Dir, "env": env, "outputMode": "remote",
	} {
		args[name] = raw(v)
	}
	return raw(args)
}

func greeting(p *engine.Debuggee) string {
	var b strings.Builder
	fmt.Fprintf(&b, "hocket: %s: %s\n", p.ID, p.Message)
	if p.Note != "" {
		fmt.Fprintf(&b, "hocket: %s\n", p.Note)
	}
	for i, st := range p.Stops {
		fmt.Fprintf(&b, "  %d. %s:%d %s\n", i+1, st.File, st.Line, st.What)
	}
	if p.End != nil {
		fmt.Fprintf(&b, "  %d. %s\n", len(p.Stops)+1, p.End.What)
	}
	return b.String()
}

// forward sends a request of the editor's to Delve. then may change the answer
// before the editor sees it.
func (s *session) forward(m *message, then func(*message)) {
	s.call(m.Command, m.Arguments, func(answer *message) {
		if then != nil {
			then(answer)
		}
		s.answer(m, *answer)
	})
}

// call is a request to Delve.
func (s *session) call(command string, args json.RawMessage, then func(*message)) {
	seq := s.delve.send(message{Type: "request", Command: command, Arguments: args})
	s.calls[seq] = then
}

// answer gives the editor the answer to m.
func (s *session) answer(m *message, answer message) {
	for i, o := range s.open {
		if o.Seq == m.Seq {
			s.open = append(s.open[:i], s.open[i+1:]...)
			answer.Type, answer.RequestSeq, answer.Command = "response", m.Seq, m.Command
			s.editor.send(answer)
			return
		}
	}
}

func (s *session) refuse(m *message, why string) {
	no := false
	s.answer(m, message{Success: &no, Message: why, Body: raw(map[string]any{
		"error": map[string]any{"id": 1, "format": strings.NewReplacer("{", "(", "}", ")").Replace(why), "showUser": true},
	})})
}

// say shows a text in the editor's debug console.
func (s *session) say(text string) {
	s.editor.send(message{Type: "event", Event: "output", Body: raw(map[string]any{"category": "console", "output": text})})
}

func (s *session) fromDelve(m *message) {
	switch {
	case m.Type == "response":
		then := s.calls[m.RequestSeq]
		delete(s.calls, m.RequestSeq)
		if then != nil {
			then(m)
		}
	case m.Type == "event" && m.Event == "stopped":
		s.stopped(m)
	default:
		var body struct{ SystemProcessID int }
		if m.Event == "process" && json.Unmarshal(m.Body, &body) == nil {
			s.process.pid = body.SystemProcessID
		}
		s.ended = s.ended || m.Event == "terminated"
		s.editor.send(*m)
	}
}

// delveGone answers what is still open and tells the editor that it is over.
func (s *session) delveGone() {
	err := errors.New("the debugger has ended")
	for len(s.open) > 0 {
		s.refuse(s.open[0], err.Error())
	}
	if !s.ended {
		s.ended = true
		s.editor.send(message{Type: "event", Event: "terminated"})
	}
}
