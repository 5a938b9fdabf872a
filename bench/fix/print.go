package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/bench/table"
)

func heading(w io.Writer) *table.Table {
	return table.New(w, "program         ", "found", "fixes", "verified", "seconds", "touches", "kind          ", "verdict ", "first fix")
}

func (r *result) verified() (n int) {
	for _, f := range r.fixes {
		if f.Verified != "" {
			n++
		}
	}
	return n
}

func (r *result) row(t *table.Table) {
	found, title, kind, verdict, touches, seconds := "no", "-", "-", "-", "-", "-"
	if r.found {
		found = "yes"
	}
	if len(r.fixes) > 0 {
		first := r.fixes[0]
		title, kind, verdict, touches = first.Title, first.Kind, first.Verified, "no"
		if verdict == "" {
			verdict = "none"
		}
		if r.touches {
			touches = "yes"
		}
	}
	if r.took > 0 {
		seconds = fmt.Sprintf("%7.1f", r.took.Seconds())
	}
	t.Row(r.name, found, len(r.fixes), r.verified(), seconds, touches, kind, verdict, title)
}

// details are why fixes are not verified, and what -check found.
func (r *result) details(w io.Writer) {
	for _, f := range r.fixes {
		if f.Verified == "" {
			fmt.Fprintf(w, "%s: %s: %s\n", r.name, f.Title, f.Reason)
		}
	}
	for _, c := range r.checked {
		fmt.Fprintf(w, "%s: NOT HELD: %s\n", r.name, c)
	}
}

func summary(all []result) string {
	found, verified, touch, held, fixes := 0, 0, 0, 0, 0
	var took []time.Duration
	for i := range all {
		r := &all[i]
		if r.found {
			found++
		}
		if n := r.verified(); n > 0 {
			verified++
			fixes += n
			held += n - len(r.checked)
			took = append(took, r.took)
		}
		if r.touches {
			touch++
		}
	}
	slices.Sort(took)
	median := time.Duration(0)
	if len(took) > 0 {
		median = took[(len(took)-1)/2]
	}
	return fmt.Sprintf("found %d of %d, a verified fix in %d; the first one touches what is wrong in %d; %d of %d verified fixes held when checked (all, without -check); median %.1f s to the first one",
		found, len(all), verified, touch, held, fixes, median.Seconds())
}
