// Command authserver is the package authserver as a program. Its only argument is -options: a
// JSON object, or a file with one, that has the members of authserver.Options.
//
// It prints one line of JSON with its URLs, and ends when its standard input ends.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mcp-editord/mcp-editord/test/testkit/authserver"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "authserver:", err)
		os.Exit(1)
	}
}

func run() error {
	text := flag.String("options", "{}", "a JSON object, or a file with one")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	options, err := read(*text)
	if err != nil {
		return fmt.Errorf("-options: %w", err)
	}
	s, err := authserver.Start(options)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := json.NewEncoder(os.Stdout).Encode(s.URLs()); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// read reads the options.
func read(text string) (authserver.Options, error) {
	var options authserver.Options
	document := []byte(text)
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		var err error
		if document, err = os.ReadFile(text); err != nil {
			return options, err
		}
	}
	d := json.NewDecoder(bytes.NewReader(document))
	d.DisallowUnknownFields()
	return options, d.Decode(&options)
}
