package cortex

import "testing"

func TestX(t *testing.T) { p, err := Programs("/tmp/hk/rf/progs", ""); t.Log(p, err) }
