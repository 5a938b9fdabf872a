package server

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/lsp/jobs"
)

func TestWithMessage(t *testing.T) {
	got, err := withMessage(json.RawMessage(`{"runs":3,"new":{"x":1}}`), "a \"line\"")
	if err != nil {
		t.Fatal(err)
	}
	if raw, _ := json.Marshal(got); string(raw) != `{"message":"a \"line\"","new":{"x":1},"runs":3}` {
		t.Errorf("%s", raw)
	}
	if _, err := withMessage(json.RawMessage(`[1]`), "x"); err == nil {
		t.Error("a list has no message")
	}
}

func TestBreakTargetFlags(t *testing.T) {
	for _, c := range []struct {
		t    breakTarget
		want string
	}{
		{breakTarget{dir: "/m/p"}, "|package p"},
		{breakTarget{dir: "/m/p", entry: "TestX/a b", id: "b1"}, "-run=^TestX$/^a_b$ -id=b1|TestX/a b"},
		{breakTarget{dir: "/m", entry: "main"}, "|main"},
	} {
		if got := strings.Join(c.t.flags(), " ") + "|" + c.t.what(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestYields: a renewal of conflicts ends for a job that somebody waits for,
// is wanted again, and does not end for the same job.
func TestYields(t *testing.T) {
	r := newRenewal(nil)
	q := jobs.New()
	defer q.Close(context.Background()) //nolint:errcheck // nothing runs
	key := jobs.Key{Kind: kindVet, Dir: "/m"}
	h, err := q.Submit(context.Background(), jobs.Job{Key: key, Prepare: func(ctx context.Context) (jobs.Command, func(), error) {
		<-ctx.Done()
		return jobs.Command{}, nil, ctx.Err()
	}})
	if err != nil {
		t.Fatal(err)
	}
	r.hold(h, key)
	r.yieldTo(key)
	if r.hasYielded() {
		t.Error("yielded to the same job")
	}
	r.yieldTo(jobs.Key{Kind: "find"})
	if _, status, err := h.Wait(context.Background()); status != jobs.Cancelled || err != nil || !r.hasYielded() {
		t.Errorf("%v %v %v", status, err, r.hasYielded())
	}
	r.hold(nil, jobs.Key{})
	r.yieldTo(jobs.Key{Kind: "find"})
	if r.hasYielded() {
		t.Error("nothing runs")
	}
}
