package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"
)

// line is the growth of one solver in one mode: the median time of the goals
// that it decided, by size. A size at which less than half were decided is left
// out: the median of the easy ones says nothing.
type line struct {
	name    string
	solver  string
	ordered bool
	points  []point
}

type point struct{ events, ms float64 }

// series of all solvers, in the order of their first measurement.
func series(all []measured) []line {
	var lines []line
	times := map[group][]float64{}
	goals := map[group]int{}
	for _, m := range all {
		g := m.group()
		times[g] = append(times[g], m.times()...)
		goals[g] += len(m.Goals)
	}
	at := map[group]bool{}
	for _, m := range all {
		g := m.group()
		if at[g] || m.Trace != "" || 2*len(times[g]) < goals[g] || len(times[g]) == 0 {
			continue
		}
		at[g] = true
		i := slices.IndexFunc(lines, func(l line) bool { return l.solver == m.Solver && l.ordered == m.Ordered })
		if i < 0 {
			i = len(lines)
			lines = append(lines, line{name: m.Solver + ", " + m.given(), solver: m.Solver, ordered: m.Ordered})
		}
		lines[i].points = append(lines[i].points, point{float64(m.Shape.Events), max(median(times[g]), 0.01)})
	}
	for i := range lines {
		slices.SortFunc(lines[i].points, func(a, b point) int { return int(a.events - b.events) })
	}
	return lines
}

// exponent of a power law through the points, by least squares of the
// logarithms; false: fewer than two sizes.
func (l line) exponent() (float64, bool) {
	k, _, ok := l.fit()
	return k, ok
}

// fit gives time = exp(c) * events^k.
func (l line) fit() (k, c float64, ok bool) {
	var n, sx, sy, sxx, sxy float64
	for _, p := range l.points {
		x, y := math.Log(p.events), math.Log(p.ms)
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	d := n*sxx - sx*sx
	if n < 2 || d < 1e-9 {
		return 0, 0, false
	}
	k = (n*sxy - sx*sy) / d
	return k, (sy - k*sx) / n, true
}

// The plot's frame, in pixels, and what it shows, in powers of ten.
const (
	width, height            = 760, 460
	left, right, top, bottom = 64, 200, 44, 52
	leastEvents, mostEvents  = 2.3, 5.2
	leastMS, mostMS          = -1.5, 5.2
)

func x(events float64) float64 {
	return left + (math.Log10(events)-leastEvents)/(mostEvents-leastEvents)*(width-left-right)
}

func y(ms float64) float64 {
	v := math.Log10(max(ms, math.Pow(10, leastMS)))
	return height - bottom - (v-leastMS)/(mostMS-leastMS)*(height-top-bottom)
}

// plot is a log-log plot of time against events as SVG, with the fitted line
// of each solver and the design's budgets; its colours suit light and dark
// pages.
func plot(all []measured) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" role="img" aria-label="Time to solve against events, both logarithmic">
<style>
.bg { fill: #ffffff } .ink { fill: #1f2328 } .grid { stroke: #d1d9e0 } .budget { stroke: #59636e; fill: none; stroke-dasharray: 2 4 }
.s0 { color: #0969da } .s1 { color: #bc4c00 } .s2 { color: #8250df } .s3 { color: #1a7f37 }
.mark { fill: currentColor } .fit { stroke: currentColor; fill: none; stroke-width: 1.5 } .paths { stroke-dasharray: 6 4 }
@media (prefers-color-scheme: dark) {
.bg { fill: #0d1117 } .ink { fill: #e6edf3 } .grid { stroke: #30363d } .budget { stroke: #9198a1 }
.s0 { color: #58a6ff } .s1 { color: #f0883e } .s2 { color: #bc8cff } .s3 { color: #3fb950 }
}
</style>
<rect class="bg" width="100%%" height="100%%"/>
`, width, height)
	axes(&b)
	budgets(&b)
	lines := series(all)
	var solvers []string
	for i, l := range lines {
		if !slices.Contains(solvers, l.solver) {
			solvers = append(solvers, l.solver)
		}
		l.draw(&b, slices.Index(solvers, l.solver)%4, i)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func axes(b *bytes.Buffer) {
	fmt.Fprintf(b, "<text class=\"ink\" x=\"%d\" y=\"22\" font-size=\"14\">Median time of one goal against the size of the system</text>\n", left)
	for _, n := range []int{300, 1000, 3000, 10_000, 30_000, 100_000} {
		px := x(float64(n))
		fmt.Fprintf(b, "<path class=\"grid\" d=\"M%.1f %dV%d\"/><text class=\"ink\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
			px, top, height-bottom, px, height-bottom+18, thousands(n))
	}
	for p, label := range map[int]string{-1: "0.1 ms", 0: "1 ms", 1: "10 ms", 2: "100 ms", 3: "1 s", 4: "10 s", 5: "100 s"} {
		py := y(math.Pow(10, float64(p)))
		fmt.Fprintf(b, "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text class=\"ink\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
			left, py, width-right, left-6, py+4, label)
	}
	fmt.Fprintf(b, "<text class=\"ink\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">events</text>\n", (left+width-right)/2, height-12)
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

// budgets of the design where the order is given.
func budgets(b *bytes.Buffer) {
	fmt.Fprint(b, `<path class="budget" d="`)
	for i, n := range []int{1000, 3000, 10_000, 100_000} {
		fmt.Fprintf(b, "%c%.1f %.1f", "ML"[min(i, 1)], x(float64(n)), y(ms(timeAllowed(n, true))))
	}
	fmt.Fprintf(b, "\"/><text class=\"ink\" x=\"%d\" y=\"%.1f\">budget, order given</text>\n", width-right+8, y(ms(timeAllowed(100_000, true)))+4)
}

// draw the points of a line and its fit, with a line of the legend.
func (l line) draw(b *bytes.Buffer, colour, row int) {
	class := ""
	if !l.ordered {
		class = " paths"
	}
	label := l.name
	fmt.Fprintf(b, "<g class=\"s%d\">\n", colour)
	if k, c, ok := l.fit(); ok {
		label += fmt.Sprintf(", n^%.2f", k)
		first, last := l.points[0].events, l.points[len(l.points)-1].events
		at := func(n float64) float64 { return math.Exp(c + k*math.Log(n)) }
		fmt.Fprintf(b, "<path class=\"fit%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", class, x(first), y(at(first)), x(last), y(at(last)))
	}
	for _, p := range l.points {
		fmt.Fprintf(b, "<circle class=\"mark\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>\n", x(p.events), y(p.ms))
	}
	ly := float64(height-bottom) - 18*float64(row) - 8
	fmt.Fprintf(b, "<path class=\"fit%s\" d=\"M%d %.1fh24\"/><text class=\"ink\" x=\"%d\" y=\"%.1f\">%s</text>\n</g>\n",
		class, width-right+8, ly-4, width-right+38, ly, label)
}
