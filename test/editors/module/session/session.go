// Package session knows who is logged in at a terminal. Somebody may leave
// between the check of Greeting and the greeting: the tests of the editors set
// concurrent breakpoints there.
package session

// User is somebody with a name.
type User struct{ Name string }

// Session is one terminal.
type Session struct{ user *User }

// Enter logs somebody in.
func Enter(name string) *Session {
	return &Session{user: &User{Name: name}}
}

// Leave logs out.
func (s *Session) Leave() {
	s.user = nil
}

// Greeting is what the terminal shows.
func (s *Session) Greeting() string {
	if s.user == nil {
		return "Hello."
	}
	return "Hello, " + s.user.Name + "."
}
