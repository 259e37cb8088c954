package main

import (
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
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
