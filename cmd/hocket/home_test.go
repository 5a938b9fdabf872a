package main

import (
	"os"
	"os/user"
	"testing"
)

func TestHome(t *testing.T) {
	u, err := user.Current()
	if err != nil {
		t.Skip("this user is not known")
	}
	if _, err := os.Stat(u.HomeDir); err != nil {
		t.Skip("this user has no home folder")
	}
	for set, want := range map[string]string{"": u.HomeDir, "/elsewhere": "/elsewhere"} {
		t.Setenv("HOME", set)
		if setHome(); os.Getenv("HOME") != want {
			t.Errorf("HOME=%q became %q, want %q", set, os.Getenv("HOME"), want)
		}
	}
}
