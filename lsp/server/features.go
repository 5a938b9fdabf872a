package server

// allFeatures lists what the server does for users, a line each. A feature is a
// file of its own that returns its part of the server.
func (s *Server) allFeatures() []*feature {
	return []*feature{
		s.commandsFeature(),
		s.diagnosticsFeature(),
		s.hoverFeature(),
		s.lensFeature(),
		s.actionsFeature(),
		s.inlayFeature(),
		s.breakpointsFeature(),
		s.conflictsFeature(),
		s.changesFeature(),
	}
}
