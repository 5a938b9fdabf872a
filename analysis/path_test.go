package analysis

import (
	"go/token"
	"testing"

	"pgregory.net/rapid"
)

// TestMayAlias: it does not matter which path comes first, each path is itself,
// and different fields of one object never meet.
func TestMayAlias(t *testing.T) {
	draw := rapid.Custom(func(t *rapid.T) *path {
		b := base{kind: global, obj: token.Pos(rapid.IntRange(1, 2).Draw(t, "variable"))}
		if rapid.Bool().Draw(t, "outside") {
			b.kind = outside
		}
		p := newPath(b, "v", nil)
		for range rapid.IntRange(0, maxSteps).Draw(t, "steps") {
			s := step{kind: stepKind(rapid.IntRange(0, 3).Draw(t, "kind"))}
			switch s.kind {
			case toField:
				s.field, s.name = token.Pos(rapid.IntRange(1, 3).Draw(t, "field")), "T.f"
			case toElem:
				s.index = rapid.SampledFrom([]string{"", "0", "1"}).Draw(t, "index")
			}
			p = p.with(s, nil)
		}
		return p
	})
	rapid.Check(t, func(t *rapid.T) {
		p, q := draw.Draw(t, "p"), draw.Draw(t, "q")
		if mayAlias(p, q) != mayAlias(q, p) {
			t.Fatalf("%s, %s: %v and %v", p.key, q.key, mayAlias(p, q), mayAlias(q, p))
		}
		if mayAlias(p, p) != same {
			t.Fatalf("%s is not itself: %v", p.key, mayAlias(p, p))
		}
		if len(p.steps) < maxSteps {
			a, b := p.with(step{kind: toField, field: 1}, nil), p.with(step{kind: toField, field: 2}, nil)
			if mayAlias(a, b) != never {
				t.Fatalf("two fields of %s are one", p.key)
			}
		}
		if p.with(step{kind: toDeref}, nil) == nil && len(p.steps) < maxSteps {
			t.Fatal("a path ends early")
		}
	})
}
