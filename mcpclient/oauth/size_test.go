package oauth

import (
	"encoding/json"
	"strings"
	"testing"

	"golang.org/x/oauth2"

	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// maxKept is how many bytes the store takes.
const maxKept = 64 << 10

// What is too long to be kept would leave a used refresh token in the store. It is not taken.
func TestTokensFitInTheStore(t *testing.T) {
	long := strings.Repeat("x", maxToken)
	fits := &oauth2.Token{AccessToken: long, RefreshToken: long}
	if err := checkToken(filesIssuer, fits); err != nil {
		t.Fatal(err)
	}
	c := signedIn("", "")
	c.Identity = &identity{RefreshToken: long}
	if err := c.Identity.take(fits.WithExtra(map[string]any{"id_token": long})); err != nil {
		t.Fatal(err)
	}
	c.AccessToken, c.RefreshToken = long, long
	if encoded, err := json.Marshal(c); err != nil || len(encoded) > maxKept {
		t.Errorf("%d bytes are to be kept (%v)", len(encoded), err)
	}

	wantError(t, checkToken(filesIssuer, &oauth2.Token{AccessToken: long + "x"}), wire.KindProtocol, "cannot be sent")
	wantError(t, checkToken(filesIssuer, &oauth2.Token{AccessToken: "x", RefreshToken: long + "x"}), wire.KindProtocol, "too long")
	if err := c.Identity.take(fits.WithExtra(map[string]any{"id_token": long + "x"})); err == nil {
		t.Error("an id_token of any length is taken")
	}
}
