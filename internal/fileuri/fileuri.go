// Package fileuri turns paths into canonical file: URIs and back.
//
// Invariants:
//
//   - For an absolute, clean path p without NUL, ToPath(FromPath(p)) is p, byte for byte:
//     names need not be UTF-8.
//   - A path has one URI. Two URIs of one path have the same FromPath(ToPath(u)).
//   - A URI of another host never becomes a path on this one.
//
// go.lsp.dev/uri follows VS Code instead: it takes other hosts for UNC
// paths, lets malformed escapes and queries pass, and also escapes characters that RFC 3986
// allows in a path.
package fileuri

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// FromPath returns the file: URI of an absolute path (RFC 8089, section 2), without a
// trailing slash. It percent-encodes bytes that a path in a URI may not have.
func FromPath(path string) string {
	path = filepath.ToSlash(filepath.Clean(path))
	if !strings.HasPrefix(path, "/") { // a drive letter (RFC 8089, appendix E.2)
		path = "/" + path
	}
	u := url.URL{Scheme: "file", Path: path}
	return u.String()
}

// ToPath returns the clean absolute path that a file: URI names. The host must be
// empty or localhost. It refuses any other host, a query and a fragment.
func ToPath(uri string) (string, error) {
	path, err := toPath(uri)
	if err != nil {
		return "", fmt.Errorf("reading the URI %q: %w", uri, err)
	}
	return path, nil
}

func toPath(uri string) (string, error) {
	u, err := url.Parse(uri)
	switch {
	case err != nil:
		var syntax *url.Error
		if errors.As(err, &syntax) {
			err = syntax.Err // without the URI, which ToPath names
		}
		return "", err
	case u.Scheme != "file":
		return "", errors.New("it is not a file: URI")
	case strings.ContainsAny(uri, "?#"):
		return "", errors.New("a file: URI cannot have a query or fragment; write ? as %3F and # as %23")
	case u.User != nil || u.Host != "" && !strings.EqualFold(u.Host, "localhost"):
		return "", fmt.Errorf("it is on another host, %q; use a file on this host", u.Host)
	case strings.HasPrefix(u.Path, "//"):
		return "", errors.New("it is a network path; use a file on this host")
	case strings.ContainsRune(u.Path, 0):
		return "", errors.New("its path contains a NUL")
	}
	path := filepath.FromSlash(u.Path)
	if volume := filepath.VolumeName(strings.TrimPrefix(path, string(filepath.Separator))); volume != "" {
		path = path[1:] // /C:/x is C:\x
	}
	if !filepath.IsAbs(path) {
		return "", errors.New("its path is not absolute")
	}
	return filepath.Clean(path), nil
}

// Canonical returns path clean and with symbolic links resolved as far as it
// exists. The part that does not exist, or cannot be reached, stays as it is.
func Canonical(path string) string {
	path = filepath.Clean(path)
	rest := ""
	for at := path; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if at == filepath.Dir(at) {
			return path
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// Shown returns a URI as people write it: for a file its path.
func Shown(uri string) string {
	if path, err := ToPath(uri); err == nil {
		return path
	}
	return uri
}
