//go:build !race

package editors

// raceFlags builds the daemon as the tests are built.
func raceFlags() []string { return nil }
