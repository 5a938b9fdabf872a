//go:build noz3 || !(linux || darwin) || !(amd64 || arm64)

package libz3

import (
	"errors"
	"strings"
	"testing"
)

func TestAbsent(t *testing.T) {
	if _, err := Load(); !errors.Is(err, ErrAbsent) || !strings.Contains(err.Error(), errNotBuilt.Error()) {
		t.Errorf("error %v", err)
	}
	if _, err := NewContext(); !errors.Is(err, ErrAbsent) {
		t.Errorf("error %v", err)
	}
}
