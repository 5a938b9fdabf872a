package instrument

import (
	"os"
	"testing"
)

func TestZZDump(t *testing.T) {
	files, err := recordOverlay("/usr/local/go")
	if err != nil {
		t.Fatal(err)
	}
	o, err := writeOverlay("/tmp/h/rec-ov", "/usr/local/go", files)
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile("/tmp/h/rec-ov/path", []byte(o), 0o666)
}
