package instrument

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hocket-dev/hocket/engine/rt"
)

// PathCalls are the functions that the runtime of a path recording has for calls in
// the program's sources: engine/rt/paths.
var PathCalls = struct{ Branch, Checked, Full, More, Loop, Bit, Next string }{
	"HocketBranch", "HocketChecked", "HocketFull", "HocketMore", "HocketLoop", "HocketBit", "HocketNext",
}

// Paths builds a target whose sources record branches: files are their texts, by
// absolute path. The program runs on Go's own scheduler, and records if the
// environment names a log (engine/rt.PathMagic).
func (b *Builder) Paths(ctx context.Context, t Target, files map[string][]byte) (*Binary, error) {
	tc, err := b.Toolchain(ctx, t)
	if err != nil {
		return nil, err
	}
	desc, err := b.writtenOverlay(tc, "path recording", pathFiles)
	if err != nil {
		return nil, err
	}
	texts, err := t.Overlay.Including(filepath.Join(b.dir, "overlay", "paths"), files)
	if err != nil {
		return nil, err
	}
	if desc, err = texts.With(desc); err != nil {
		return nil, err
	}
	kind := Binary{Target: t, Toolchain: *tc}
	kind.Path = filepath.Join(b.dir, "bin", "paths-"+binaryName(t, tc, desc, kind))
	if err := os.MkdirAll(filepath.Dir(kind.Path), 0o777); err != nil {
		return nil, err
	}
	return &kind, t.Compile(ctx, tc.goCmd, kind.Path, []string{"-overlay", desc}, tc.env)
}

// pathFiles are the files of a path recording that differ from the distribution's.
func pathFiles(goroot string) (map[string][]byte, error) {
	out := map[string][]byte{}
	for name, apply := range pathEdits() {
		text, err := os.ReadFile(filepath.Join(goroot, "src", filepath.FromSlash(name)))
		if err != nil {
			return nil, fmt.Errorf("this Go distribution lacks a file that recording needs: %w", err)
		}
		e, err := newSourceEdit(name, text)
		if err != nil {
			return nil, err
		}
		apply(e)
		if out[name], err = e.bytes(); err != nil {
			return nil, fmt.Errorf("this Go version's runtime is not known to Hocket: %w", err)
		}
	}
	text, err := rt.Paths.ReadFile("paths/runtime/hk_paths.go")
	if err != nil {
		return nil, err
	}
	out["runtime/hk_paths.go"] = bytes.Replace(text, []byte(overlayTag), nil, 1)
	out["runtime/hk_pathlog.go"], err = prefixed(rt.PathLayout, "runtime")
	return out, err
}

func pathEdits() map[string]func(*sourceEdit) {
	return map[string]func(*sourceEdit){
		"runtime/runtime2.go": func(e *sourceEdit) {
			e.field("g", "hkp uintptr; hk hkPath")
			e.field("m", "hkTimer uintptr // that starts goroutines now")
		},
		"runtime/rand.go": func(e *sourceEdit) {
			e.replace("randinit", "globalRand.state.Init(*seed)", "if hkSeeded() { clear(seed[:]) }; globalRand.state.Init(*seed)")
			e.start("rand", "if v, ok := hkRand(); ok { return v }")
		},
		"runtime/time.go": func(e *sourceEdit) {
			e.field("timer", "hk hkTimer")
			e.replace("newTimer", "t.timer.init(nil, nil)", "t.timer.init(nil, nil); hkTimerMade(&t.timer)")
			e.replace("timer.unlockAndRun", "\tf(arg, seq, delay)\n", "\thkTimerRuns(t); f(arg, seq, delay); hkTimerRuns(nil)\n")
		},
		"runtime/proc.go": func(e *sourceEdit) {
			e.replace("newproc1", "newg.goid = pp.goidcache", "newg.goid = pp.goidcache; hkBorn(newg, callergp)")
			e.replace("main", "\tgcenable()\n", "\tgcenable()\n\thkPathsStart()\n")
			e.replace("main", "\tfn()\n", "\tfn()\n\thkPathsEnd(0)\n")
			e.start("os_beforeExit", "hkPathsEnd(int32(exitCode))")
		},
	}
}
