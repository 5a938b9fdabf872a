package main

import (
	"fmt"
	"io"
	"time"
)

// printer keeps the first error of a row of prints.
type printer struct {
	w   io.Writer
	err error
	style
}

// f prints; places in the text are hyperlinks where the style has them.
func (p *printer) f(format string, args ...any) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, p.link(fmt.Sprintf(format, args...)))
	}
}

func round(d time.Duration) time.Duration { return max(d, 0).Round(time.Second) }
