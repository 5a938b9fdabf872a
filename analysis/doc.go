// Package analysis finds by the sources alone pairs of places that may
// conflict.
package analysis
