package session

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// TestABudgetThatEndsBeforeTheSearch is reported as such, with what to do.
func TestABudgetThatEndsBeforeTheSearch(t *testing.T) {
	_, err := Find(context.Background(), Options{Dir: t.TempDir(), Budget: time.Nanosecond}, nil)
	if !errors.Is(err, ErrBudget) || !strings.Contains(err.Error(), "1ns") {
		t.Errorf("got %v", err)
	}
}
