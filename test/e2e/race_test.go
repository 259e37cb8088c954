//go:build race

package e2e

// raceFlags builds the daemon as the tests are built.
func raceFlags() []string { return []string{"-race"} }
