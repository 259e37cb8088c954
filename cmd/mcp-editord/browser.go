package main

import (
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// errNotOpened is the error of a browser that was started and did not open the address.
var errNotOpened = errors.New("open the address yourself")

// A browser is the program that opens an address in the browser of the user. "" is none.
type browser string

// findBrowser returns the first of the programs that is there, or none when no browser can be on the
// screen in front of the user.
func findBrowser(getenv func(string) string) browser {
	for _, name := range browserPrograms(getenv) {
		if path, err := exec.LookPath(name); err == nil {
			return browser(path)
		}
	}
	return ""
}

// browserPrograms returns what may open an address, the best first. On Linux these are the programs of BROWSER, by which
// an editor that shows the terminal of another machine leads to the browser of its own, and then the desktop's, which
// needs a display. Over SSH, a Mac would open it on the screen of another machine. Elsewhere nobody is asked anything, so
// nobody agrees to open an address.
func browserPrograms(getenv func(string) string) (programs []string) {
	switch runtime.GOOS {
	case "linux":
		programs = filepath.SplitList(getenv("BROWSER"))
		if len(programs) > 0 || getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != "" {
			programs = append(programs, "xdg-open")
		}
	case "darwin":
		if getenv("SSH_CONNECTION") == "" {
			programs = []string{"open"}
		}
	}
	return programs
}

// open starts b with an address. ended gets one value when b has ended: why it did not open the
// address, or nil. b may run for as long as the browser does, and may outlive this process.
func (b browser) open(address string) (ended <-chan error, err error) {
	if err := checkAddress(address); err != nil {
		return nil, err
	}
	// No shell reads the address. It begins with its scheme, so b cannot take it for an option.
	cmd := exec.Command(string(b), address)
	cmd.SysProcAttr = ownSession()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the browser: %w", err)
	}
	result := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		if err != nil {
			err = fmt.Errorf("%s failed (%w); %w", filepath.Base(string(b)), err, errNotOpened)
		}
		result <- err
	}()
	return result, nil
}

// checkAddress refuses what is no address of a web page, and what is not written in visible ASCII.
func checkAddress(address string) error {
	hidden := func(r rune) bool { return r <= ' ' || r > '~' }
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || strings.ContainsFunc(address, hidden) {
		return errors.New("the address is not one of a web page, and is not opened") // err would quote it
	}
	return nil
}
