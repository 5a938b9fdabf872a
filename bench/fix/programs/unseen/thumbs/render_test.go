package thumbs

import "testing"

func TestAlbumIsComplete(t *testing.T) {
	r := &Renderer{Box: 100}
	found := make(chan Photo)
	go func() {
		defer close(found)
		for _, p := range []Photo{{"beach.jpg", 4000, 1000}, {"broken.jpg", 0, 10}, {}, {}} {
			found <- p
		}
	}()
	thumbs, errs := r.Album(found)
	wide, ok := thumbs["beach.jpg"]
	n := len(thumbs)
	if !ok || n != 1 {
		t.Fatalf("%d thumbnails", n)
	}
	if wide != (Thumb{"thumbs/beach.jpg", 100, 25}) {
		t.Errorf("thumbnail %+v", wide)
	}
	if len(errs) != 1 {
		t.Errorf("%d errors, want 1: %v", len(errs), errs)
	}
}
