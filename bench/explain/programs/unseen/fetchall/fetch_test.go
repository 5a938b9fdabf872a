package fetchall

import "testing"

func TestFetch(t *testing.T) {
	pages, err := All([]string{"/missing", "/index"})
	if len(pages) != 1 {
		t.Errorf("%d pages", len(pages))
	}
	if err == nil {
		t.Error("the error is lost")
	}
}
