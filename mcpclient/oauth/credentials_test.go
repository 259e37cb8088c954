package oauth

import (
	"fmt"
	"strings"
	"testing"
)

// Credentials that are printed by mistake show no secret.
func TestCredentialsPrinted(t *testing.T) {
	c := &credentials{Issuer: "https://login.example", AccessToken: "canary", RefreshToken: "canary",
		Client: client{ID: "x", Secret: "canary"}, Identity: &identity{IDToken: "canary", RefreshToken: "canary"}}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		for _, value := range []any{c, []*credentials{c}, *c, c.Client, *c.Identity, proof{secret: "canary"}} {
			if text := fmt.Sprintf(format, value); strings.Contains(text, "canary") {
				t.Errorf("%s of a %T is %s", format, value, text)
			}
		}
	}
	if text := fmt.Sprint((*credentials)(nil)); text != "<nil>" {
		t.Errorf("nil is %q", text)
	}
}
