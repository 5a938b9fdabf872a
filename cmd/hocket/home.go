package main

import (
	"os"
	"os/user"
)

// setHome makes up for an environment without HOME, as services and cron jobs have
// it: the caches of the go command and of Hocket are below the user's home folder.
func setHome() {
	if _, err := os.UserHomeDir(); err == nil {
		return
	}
	if u, err := user.Current(); err == nil {
		if st, err := os.Stat(u.HomeDir); err == nil && st.IsDir() {
			os.Setenv("HOME", u.HomeDir)
		}
	}
}
