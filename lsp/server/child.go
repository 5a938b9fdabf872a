package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"slices"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/jobs"
)

// child says how a job starts this program again: all that decides what it does.
type child struct {
	dir   string
	set   *Settings                     // its environment
	texts map[string]string             // what is unsaved, by path; read in place of the files
	args  func(overlay string) []string // overlay: the flag's value for texts, "" if there are none
}

// childJob completes a job that runs a child. Requests for equal jobs share one
// (package jobs), so the key has all that its answer depends on.
func (s *Server) childJob(job jobs.Job, c child) jobs.Job {
	job.Key.Options = c.sum(s.diskChanges.Load())
	job.Prepare = func(context.Context) (jobs.Command, func(), error) {
		overlay, remove, err := writeOverlay(c.texts)
		if err != nil {
			return jobs.Command{}, remove, err
		}
		return s.command(c.dir, c.set, c.args(overlay)...), remove, nil
	}
	return job
}

// sum is equal for children that do the same on the same texts. diskChanges
// stands for the texts on disk.
func (c *child) sum(diskChanges int64) string {
	raw, _ := json.Marshal([]any{c.args(""), c.set.Build.Env, c.texts, diskChanges}) //nolint:errcheck // of strings and numbers
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// command starts this program again with arguments, in a folder.
func (s *Server) command(dir string, settings *Settings, args ...string) jobs.Command {
	argv := append(slices.Clone(s.opts.Command), args...)
	env := os.Environ()
	for _, name := range slices.Sorted(maps.Keys(settings.Build.Env)) {
		env = append(env, name+"="+settings.Build.Env[name])
	}
	return jobs.Command{Path: argv[0], Args: argv[1:], Dir: dir, Env: env}
}

// watched are the flags with which a child reports its progress, and ends when
// the server does.
func watched() []string { return []string{"-json", "-progress=json", "-stdin-eof"} }

// buildFlags are those of go test, from the settings, as children take them.
func buildFlags(set *Settings, overlay string) (args []string) {
	args = flagged("tags", set.Build.Tags, "ldflags", set.Build.LDFlags, "mod", set.Build.Mod, "overlay", overlay)
	if set.Build.Short {
		args = append(args, "-short")
	}
	return args
}

// readFlags are those of children that only read sources.
func readFlags(set *Settings, overlay string) []string {
	return flagged("tags", set.Build.Tags, "mod", set.Build.Mod, "overlay", overlay)
}

// flagged makes flags of names and values; those without a value are left out.
func flagged(pairs ...string) (args []string) {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			args = append(args, "-"+pairs[i]+"="+pairs[i+1])
		}
	}
	return args
}

// flagsOf are the same for the façade.
func flagsOf(set *Settings) engine.Flags {
	return engine.Flags{Tags: set.Build.Tags, Ldflags: set.Build.LDFlags, Mod: set.Build.Mod, Short: set.Build.Short}
}
