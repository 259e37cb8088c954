package oauth

import (
	"bytes"
	_ "embed"
	"errors"
	"html/template"
	"net/http"
	"strconv"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// The kinds of a page. page.html has their text.
const (
	pageSignedIn = "signedIn"
	pageRefused  = "refused"
	pageForeign  = "foreign" // it does not belong to the sign-in
	pageUsed     = "used"    // it was used already
)

const maxServerName = 100 // characters

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// pagePolicy allows the style in the page, and nothing else.
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// page is what a browser is shown.
type page struct {
	Kind   string
	Server string // safe to show
	Why    string // of pageRefused: a sentence without an end, safe to show; may be empty
}

// errSignedIn is the outcome of a sign-in that has succeeded.
var errSignedIn = errors.New("signed in")

// finished returns the page for the outcome of a sign-in. Only what is meant for a person is shown.
func finished(outcome error) page {
	if outcome == errSignedIn {
		return page{Kind: pageSignedIn}
	}
	p := page{Kind: pageRefused}
	if failed, ok := errors.AsType[*Failed](outcome); ok {
		p.Why = failed.Message
	}
	return p
}

// send writes p to the browser, at once: the connection may be closed as soon as send returns.
func (p page) send(w http.ResponseWriter, server string) {
	p.Server = safetext.Line(server, maxServerName)
	var text bytes.Buffer
	if err := pageTemplate.Execute(&text, p); err != nil {
		panic(err) // page.html and page do not fit
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(text.Len()))
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	switch p.Kind {
	case pageRefused:
		w.WriteHeader(http.StatusForbidden)
	case pageForeign, pageUsed:
		w.WriteHeader(http.StatusBadRequest)
	}
	_, _ = w.Write(text.Bytes())
	_ = http.NewResponseController(w).Flush()
}
