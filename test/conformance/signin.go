package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
)

// documentURL is the address of the client id metadata document that the suite expects.
const documentURL = "https://conformance-test.local/client-metadata.json"

// maxSignIns is how often the person of a scenario agrees to sign in.
const maxSignIns = 4

// outcome says what comes of signing in.
type outcome int

const (
	signedIn outcome = iota
	refused          // the daemon must refuse it
	inVain           // the server goes on to refuse everything
)

// authorization returns the scenarios in which the person signs in.
func authorization() map[string]scenario {
	all := map[string]scenario{}
	for _, name := range []string{
		"2025-03-26-oauth-metadata-backcompat", "2025-03-26-oauth-endpoint-fallback",
		"metadata-default", "metadata-var1", "metadata-var2", "metadata-var3",
		"scope-from-www-authenticate", "scope-from-scopes-supported", "scope-omitted-when-undefined", "scope-step-up",
		"token-endpoint-auth-basic", "token-endpoint-auth-post", "token-endpoint-auth-none",
		"offline-access-scope", "offline-access-not-supported", "authorization-server-migration",
		"iss-supported", "iss-not-advertised",
	} {
		all["auth/"+name] = scenario{signsIn: true, steps: useProtected}
	}
	for _, name := range []string{
		"resource-mismatch", "iss-supported-missing", "iss-wrong-issuer", "iss-unexpected", "iss-normalized", "metadata-issuer-mismatch",
	} {
		all["auth/"+name] = scenario{signsIn: true, outcome: refused, steps: useProtected}
	}
	all["auth/scope-retry-limit"] = scenario{signsIn: true, outcome: inVain, steps: giveUp}
	all["auth/basic-cimd"] = scenario{signsIn: true, steps: useProtected, oauth: func(string, string) (map[string]any, error) {
		return map[string]any{"clientMetadataUrl": documentURL}, nil
	}}
	all["auth/pre-registration"] = scenario{signsIn: true, steps: useProtected, oauth: registered}
	all["auth/client-credentials-basic"] = scenario{steps: useProtected, oauth: asItself}
	all["auth/client-credentials-jwt"] = scenario{steps: useProtected, oauth: asItself}
	return all
}

// given is what the suite's context says about the client.
type given struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	Issuer       string `json:"issuer"`
	Key          string `json:"private_key_pem"`
}

// registered configures the client that the context names.
func registered(dir, context string) (map[string]any, error) {
	var g given
	if err := json.Unmarshal([]byte(context), &g); err != nil {
		return nil, fmt.Errorf("reading %s: %w", envContext, err)
	}
	oauth := map[string]any{"clientId": g.ClientID}
	if g.ClientSecret != "" {
		oauth["clientSecret"] = g.ClientSecret
	}
	if g.Issuer != "" {
		oauth["issuer"] = g.Issuer
	}
	if g.Key == "" {
		return oauth, nil
	}
	key := filepath.Join(dir, "key.pem")
	oauth["privateKeyFile"] = key
	return oauth, os.WriteFile(key, []byte(g.Key), 0o600)
}

// asItself configures a client that needs no person.
func asItself(dir, context string) (map[string]any, error) {
	oauth, err := registered(dir, context)
	if oauth != nil {
		oauth["grant"] = "client_credentials"
	}
	return oauth, err
}

// useProtected lists the tools and calls one, and signs in when that is needed.
func useProtected(e *editor) {
	if err := e.tryProtected(); err != nil {
		e.Fatalf("using what is protected: %v", err)
	}
}

// giveUp does what useProtected does with a server that is never content. The daemon must stop asking the
// person.
func giveUp(e *editor) {
	if err := e.tryProtected(); err == nil || needsSignIn(err) {
		e.Fatalf("the person was asked again and again, or the server was content: %v", err)
	}
}

func (e *editor) tryProtected() *fakeeditor.RPCError {
	for signIns := 0; ; signIns++ {
		_, err := e.Request("mcp/tools/list", object{"server": server})
		if err == nil {
			_, err = e.Request("mcp/tools/call", object{"server": server, "params": object{"name": "test-tool", "arguments": object{}}})
		}
		if !needsSignIn(err) || signIns == maxSignIns {
			return err
		}
		e.Call("editord/signIn", object{"server": server}, nil)
	}
}

func needsSignIn(err *fakeeditor.RPCError) bool {
	return err != nil && err.Kind() == string(editorapi.KindSignInNeeded)
}

// wantRefused signs in, which must be refused.
func (e *editor) wantRefused() {
	_, err := e.Request("editord/signIn", object{"server": server})
	if err == nil || err.Kind() != string(editorapi.KindSignInFailed) {
		e.Fatalf("the sign-in ended with %v, and was to be refused", err)
	}
	fmt.Println("refused:", err.Message)
}

// browse plays the person's browser: it goes to an address, and to where that redirects.
func browse(params json.RawMessage) (any, error) {
	go func() { // the daemon answers the browser at its end only when the editor has its answer, too
		resp, err := http.Get(rawjson.String(params, "uri"))
		if err != nil {
			fmt.Fprintln(os.Stderr, "the browser:", err)
			return
		}
		defer resp.Body.Close()
		page, _ := io.ReadAll(resp.Body)
		fmt.Fprintf(os.Stderr, "the browser ends on (%d):\n%s\n", resp.StatusCode, page)
	}()
	return object{"success": true}, nil
}
