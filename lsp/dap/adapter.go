package dap

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/hocket-dev/hocket/engine"
)

// Options of a session. One of Prepare and PrepareBreaks is set: it makes the
// program that is debugged, and Serve closes it.
type Options struct {
	Delve string // path of dlv
	// Prepare makes the program of a finding.
	Prepare func(ctx context.Context, progress engine.Progress) (*engine.Debuggee, error)
	// PrepareBreaks makes a program with concurrent breakpoints.
	PrepareBreaks func(ctx context.Context, progress engine.Progress) (*engine.BreakDebuggee, error)
}

// prepare makes the guide through the program that is debugged.
func (o Options) prepare(ctx context.Context) (guide, error) {
	if o.PrepareBreaks != nil {
		d, err := o.PrepareBreaks(ctx, nil)
		if err != nil {
			return nil, err
		}
		return newMeetings(d), nil
	}
	d, err := o.Prepare(ctx, nil)
	if err != nil {
		return nil, err
	}
	return newSwitches(d), nil
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
		calls: map[int]func(*message){}, stops: newStops(),
	}
	defer s.close()
	// Before the program is closed, its preparation must have ended.
	results := make(chan prepared, 1)
	s.prepare = func(launch *message) {
		s.preparing = true
		go func() {
			g, err := opt.prepare(ctx)
			results <- prepared{launch, g, err}
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
	guide     guide  // nil before the program is prepared
	stops     *stops // the guide's
	ended     bool   // the editor knows that the session is over
}

// prepared is the outcome of a preparation.
type prepared struct {
	launch *message
	guide  guide
	err    error
}

// await takes the outcome of a preparation that is under way.
func (s *session) await(c <-chan prepared) {
	if s.preparing {
		if p := <-c; p.guide != nil {
			s.guide = p.guide
		}
	}
}

func (s *session) close() {
	// The program reads its schedule when it starts: Delve must have ended.
	s.process.close()
	if s.guide != nil {
		s.guide.close()
	}
}

func (s *session) fromEditor(m *message) {
	if m.Type != "request" {
		s.delve.send(*m) // answers to reverse requests
		return
	}
	s.open = append(s.open, m)
	if s.guide != nil && s.guide.request(s, m) {
		return
	}
	switch m.Command {
	case "launch":
		if s.preparing || s.guide != nil {
			s.refuse(m, "the program has been launched already")
			return
		}
		s.say("hocket: building the program\n")
		s.prepare(m)
	case "attach":
		s.refuse(m, "hocket starts the program itself; use a launch request")
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
	s.guide, s.stops = p.guide, p.guide.stops()
	s.guide.launched(fields(p.launch.Arguments))
	m := *p.launch
	m.Arguments = launchArguments(m.Arguments, p.guide.program())
	s.say(p.guide.greeting())
	s.forward(&m, nil)
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
	case m.Type == "event" && m.Event == "stopped" && s.guide != nil:
		s.guide.stopped(s, m)
	default:
		var body struct{ SystemProcessID int }
		if m.Event == "process" && json.Unmarshal(m.Body, &body) == nil {
			s.process.pid = body.SystemProcessID
		}
		if m.Event == "terminated" && !s.ended {
			s.ended = true
			if s.guide != nil {
				s.guide.ended(s)
			}
		}
		s.editor.send(*m)
	}
}

// delveGone answers what is still open and tells the editor that the session is over.
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
