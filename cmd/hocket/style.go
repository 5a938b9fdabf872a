package main

import (
	"io"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// style is what a terminal can show beside text. The zero value is plain text.
type style struct {
	colours bool
	links   *sources // finds the files of places; nil: places are no hyperlinks
	before  string   // what stands before the line in the address of a link; "": no line is in it
}

// styleOf is the style for what is written to w.
func styleOf(w io.Writer, files *sources) style {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return style{}
	}
	return terminalStyle(os.Getenv, files)
}

// terminalStyle is the style for a terminal that the environment describes.
func terminalStyle(env func(string) string, files *sources) style {
	var s style
	if env("TERM") == "dumb" {
		return s
	}
	s.colours = env("NO_COLOR") == ""
	if knowsLinks(env) {
		s.links = files
		if env("TERM") == "xterm-kitty" {
			s.before = "#"
		}
	}
	return s
}

// knowsLinks reports whether a terminal is known to show hyperlinks (OSC 8): some
// others print their addresses as text.
func knowsLinks(env func(string) string) bool {
	if force := env("FORCE_HYPERLINK"); force != "" {
		return force != "0"
	}
	switch env("TERM_PROGRAM") {
	case "iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "WarpTerminal":
		return true
	}
	for _, name := range []string{"xterm-kitty", "alacritty", "foot", "contour", "xterm-ghostty", "wezterm"} {
		if strings.HasPrefix(env("TERM"), name) {
			return true
		}
	}
	vte, _ := strconv.Atoi(env("VTE_VERSION"))
	return vte >= 5000 || env("WT_SESSION") != "" || env("KONSOLE_VERSION") != "" || env("DOMTERM") != ""
}

// Colours, as ECMA-48 numbers them.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	yellow = "33"
)

func (s style) paint(colour, text string) string {
	if !s.colours || text == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// placeInText is file:line, as reports write places.
var placeInText = regexp.MustCompile(`[^\s:()'"` + "`" + `\x1b]+\.go:(\d+)`)

// link makes hyperlinks of the places in a text whose files are there.
func (s style) link(text string) string {
	if s.links == nil {
		return text
	}
	return placeInText.ReplaceAllStringFunc(text, func(place string) string {
		colon := strings.LastIndex(place, ":")
		name, line := place[:colon], place[colon+1:]
		path, ok := s.links.path(name)
		if !ok {
			return place
		}
		host, _ := os.Hostname()
		u := url.URL{Scheme: "file", Host: host, Path: path}
		address := u.String()
		if s.before != "" {
			address += s.before + line
		}
		return "\x1b]8;;" + address + "\x1b\\" + place + "\x1b]8;;\x1b\\"
	})
}
