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

// A browser is the program that opens an address in the browser of the user. "" is none.
type browser string

// findBrowser returns the first program that is there and may open an address, or none when no browser can be on the screen
// in front of the user. On Linux these are the programs of BROWSER, by which an editor that shows the terminal of another
// machine leads to the browser of its own, and then the desktop's, which needs a display. Over SSH, a Mac would open it on
// the screen of another machine. Elsewhere nobody is asked anything, so nobody agrees to open an address.
func findBrowser(getenv func(string) string) browser {
	var programs []string
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
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			return browser(path)
		}
	}
	return ""
}

// open starts b with an address. If b does not open it, failed is called later. b may run for as long as the browser does,
// and may outlive this process.
func (b browser) open(address string, failed func(error)) error {
	if err := checkAddress(address); err != nil {
		return err
	}
	// No shell reads the address. It begins with its scheme, so b cannot take it for an option.
	cmd := exec.Command(string(b), address)
	cmd.SysProcAttr = ownSession()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting the browser: %w", err)
	}
	go func() {
		if err := cmd.Wait(); err != nil {
			failed(fmt.Errorf("%s failed (%w); open the address yourself", filepath.Base(string(b)), err))
		}
	}()
	return nil
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
