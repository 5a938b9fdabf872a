package process

import (
	"github.com/hocket-dev/hocket/engine/rt"
	"github.com/hocket-dev/hocket/engine/run"
)

// Command is one run that another program starts, such as a debugger. Its run
// file serves several starts, one after another. Close it when the last has
// ended.
type Command struct {
	Path string
	Args []string // without the program's name
	Dir  string
	Env  []string // added to the environment of this process
	file *runFile
}

// Command prepares a run of spec without starting it.
func (p *Runner) Command(spec run.Spec) (*Command, error) {
	f, err := p.newRunFile(spec, run.Light, recording{})
	if err != nil {
		return nil, err
	}
	t := p.bin.Target
	c := &Command{Path: p.bin.Path, Args: p.args(spec), Dir: t.Dir, file: f}
	if spec.Dir != "" {
		c.Dir = spec.Dir
	}
	c.Env = append([]string{"PWD=" + c.Dir}, t.Env...)
	c.Env = append(append(c.Env, spec.Env...), rt.EnvRun+"="+f.name)
	return c, nil
}

// Close removes the run file.
func (c *Command) Close() { c.file.close() }
