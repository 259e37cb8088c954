// Package registry reads MCP registries: which servers there are, and what a server.json says of one;
// also the card of a server, which it publishes itself.
//
// Invariants:
//
//   - It only reads, and only from the address that it is given, or where that redirects: over https, or
//     on the same host. What is not encrypted does not leave this machine.
//   - What is read is bounded: bytes, depth, entries, time.
//   - What was read stays on the disk, and is there with its age when the registry does not answer.
//   - Everything that it returns is a publisher's text: data, never markup or command.
package registry

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcp-editord/mcp-editord/internal/atomicfile"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// DefaultBase is where the registry of the MCP project is.
const DefaultBase = "https://registry.modelcontextprotocol.io"

// Client reads one registry, and the cards of servers. Several goroutines may use it.
type Client struct {
	Base  string       // where the registry is; "" for [DefaultBase]
	HTTP  *http.Client // with the proxies of the caller; nil for [http.DefaultClient]
	Cache string       // the folder for what was read, where nothing else is; "" keeps nothing
}

// Page is a part of what a search found.
type Page struct {
	Entries []Entry       // may be empty although there are more pages
	Next    string        // the cursor of the next page; "" at the end
	Age     time.Duration // 0 for what the registry just said, else how old what the disk had is
}

const (
	minSearch = 3               // characters; a registry refuses less
	pageSize  = 100             // entries; a registry has no more in a page
	fresh     = 5 * time.Minute // so long nobody asks again
	maxKept   = 200             // files
)

// Search returns the latest versions of the servers with all words in name, title and description, whatever
// their case. The longest word must be in the name: a registry looks nowhere else. What the registry has
// deleted, and what is not a server.json, is left out. cursor is "" or [Page.Next] of the same search.
func (c *Client) Search(ctx context.Context, words []string, cursor string) (Page, error) {
	words = strings.Fields(strings.ToLower(strings.Join(words, " ")))
	longest := slices.MaxFunc(append(words, ""), func(a, b string) int {
		return cmp.Compare(utf8.RuneCountInString(a), utf8.RuneCountInString(b))
	})
	if utf8.RuneCountInString(longest) < minSearch {
		return Page{}, fmt.Errorf("no word has %d characters; add a part of the server's name", minSearch)
	}
	query := url.Values{"search": {longest}, "version": {"latest"}, "limit": {strconv.Itoa(pageSize)}}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	page, age, err := read(ctx, c, "/v0.1/servers?"+query.Encode(), decodePage)
	if err != nil {
		return Page{}, fmt.Errorf("searching for %q: %w", longest, err)
	}
	page.Age = age
	page.Entries = slices.DeleteFunc(page.Entries, func(e Entry) bool {
		text := strings.ToLower(e.Server.Name + "\n" + e.Server.Title + "\n" + e.Server.Description)
		lacks := func(word string) bool { return !strings.Contains(text, word) }
		return e.Meta.Official.Status == Deleted || slices.ContainsFunc(words, lacks)
	})
	return page, nil
}

// decodePage decodes a list of servers. One that is broken does not hide the others.
func decodePage(body []byte) (page Page, err error) {
	var list struct {
		Servers  *[]jsontext.Value `json:"servers"`
		Metadata struct {
			NextCursor string `json:"nextCursor"`
		} `json:"metadata"`
	}
	if err := decode(body, &list); err != nil {
		return Page{}, err
	}
	if list.Servers == nil {
		return Page{}, errors.New("it has no servers")
	}
	for _, raw := range (*list.Servers)[:min(len(*list.Servers), pageSize)] {
		var e Entry
		if decode(raw, &e) == nil && namePattern.MatchString(e.Server.Name) {
			page.Entries = append(page.Entries, e)
		}
	}
	page.Next = list.Metadata.NextCursor
	return page, nil
}

// Get returns a version of a server, the latest for "", and its age as in [Page].
func (c *Client) Get(ctx context.Context, name, version string) (Entry, time.Duration, error) {
	if !namePattern.MatchString(name) {
		return Entry{}, 0, fmt.Errorf("%q is not a name of the registry; use PUBLISHER/NAME", name)
	}
	version = cmp.Or(version, "latest")
	path := "/v0.1/servers/" + url.PathEscape(name) + "/versions/" + url.PathEscape(version)
	entry, age, err := read(ctx, c, path, func(body []byte) (e Entry, err error) {
		err = decode(body, &e)
		if s := e.Server; err == nil && (s.Name != name || version != "latest" && s.Version != version) {
			err = fmt.Errorf("it is about %q %q", s.Name, s.Version)
		}
		return e, err
	})
	if errors.Is(err, refusal(http.StatusNotFound)) {
		err = fmt.Errorf("%q (%s) is not in the registry %s; search for it", name, version, cmp.Or(c.Base, DefaultBase))
	} else if err != nil {
		err = fmt.Errorf("getting %q: %w", name, err)
	}
	return entry, age, err
}

// read returns what the registry says at a path, and 0. When that was read a short time ago, or when
// there is no answer that makes sense, it returns what the disk has and how old that is.
func read[T any](
	ctx context.Context, c *Client, path string, parse func([]byte) (T, error),
) (said T, age time.Duration, err error) {
	u, err := url.Parse(strings.TrimRight(cmp.Or(c.Base, DefaultBase), "/"))
	if err != nil || !allowed(u) {
		return said, 0, errors.New("the registry's address must be https and without a password; " +
			"correct MCP_EDITORD_REGISTRY")
	}
	file := filepath.Join(c.Cache, fmt.Sprintf("%x.json", sha256.Sum256([]byte(u.String()+path))))
	var kept T
	info, missing := os.Stat(file)
	if missing == nil {
		body, _ := os.ReadFile(file)
		kept, missing = parse(body)
		age = time.Since(info.ModTime()).Abs() // what a wrong clock wrote in the future is not fresh until then
	}
	if missing == nil && age < fresh {
		return kept, age, nil
	}
	body, _, err := get(ctx, c.HTTP, u.String()+path, "application/json")
	if err == nil {
		if said, err = parse(body); err == nil {
			c.keep(file, body)
			return said, 0, nil
		}
		err = fmt.Errorf("answers with something else (%s)", safetext.Line(err.Error(), maxDetail))
	}
	if _, refused := errors.AsType[refusal](err); missing == nil && !refused {
		return kept, age, nil
	}
	return said, 0, fmt.Errorf("the registry %s %w; check the network, or name another registry with "+
		"MCP_EDITORD_REGISTRY", u, err)
}

// keep writes a file of ours, and lets the oldest go. What cannot be kept is only asked for again.
func (c *Client) keep(file string, body []byte) {
	if c.Cache != "" && os.MkdirAll(c.Cache, 0o700) == nil && atomicfile.Write(file, body) == nil {
		_ = atomicfile.Prune(c.Cache, ".json", maxKept)
	}
}

// namePattern is what names of the schema of server.json are.
var namePattern = regexp.MustCompile(`^[a-zA-Z0-9.-]{1,199}/[a-zA-Z0-9._-]{1,199}$`)
