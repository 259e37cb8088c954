package oauth

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
)

func TestPageIsLockedUp(t *testing.T) {
	c := listening(t, true)
	got := browse(t, get(t, c, ""))
	for name, want := range map[string]string{
		"Content-Type":           "text/html; charset=utf-8",
		"X-Content-Type-Options": "nosniff",
		"Referrer-Policy":        "no-referrer",
		"Cache-Control":          "no-store",
	} {
		if got.header.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, got.header.Get(name), want)
		}
	}
	_, rest, _ := strings.Cut(got.text, "<style>")
	style, _, found := strings.Cut(rest, "</style>")
	hash := sha256.Sum256([]byte(style))
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "';"
	if policy := got.header.Get("Content-Security-Policy"); !found || !strings.HasPrefix(policy, want) {
		t.Errorf("the policy is %s, want %s", policy, want)
	}
	for _, loaded := range []string{"<script", "src=", "href=", "url(", "@import", "<form"} {
		if strings.Contains(got.text, loaded) {
			t.Errorf("the page has %s", loaded)
		}
	}
}

func TestPageShowsNamesAsText(t *testing.T) {
	c, err := listen("", "<script>alert(1)</script>\u202e")
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	c.expect(expected{state: testState, issuer: testIssuer})
	got := browse(t, get(t, c, "error=access_denied&state="+testState))
	got.check(t, http.StatusForbidden, `“&lt;script&gt;alert(1)&lt;/script&gt;\u{202e}”`)
	if n := strings.Count(got.text, "script&gt;"); n != 4 {
		t.Errorf("the title and the heading have it %d times: %s", n, got.text)
	}
}
