package authserver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

func TestRegistration(t *testing.T) {
	s := New(t, Options{})
	for name, test := range map[string]struct{ body, code string }{
		"good":              {`{"client_name":"x","application_type":"native","redirect_uris":["http://127.0.0.1:1/cb"],"grant_types":["authorization_code","refresh_token"],"token_endpoint_auth_method":"none"}`, ""},
		"localhost":         {`{"application_type":"native","redirect_uris":["http://localhost/cb"]}`, ""},
		"private scheme":    {`{"application_type":"native","redirect_uris":["com.example.app:/cb"]}`, ""},
		"not JSON":          {`x`, "invalid_client_metadata"},
		"no type":           {`{"redirect_uris":["http://127.0.0.1:1/cb"]}`, "invalid_client_metadata"},
		"web":               {`{"application_type":"web","redirect_uris":["http://127.0.0.1:1/cb"]}`, "invalid_client_metadata"},
		"implicit":          {`{"application_type":"native","redirect_uris":["http://127.0.0.1:1/cb"],"grant_types":["authorization_code","implicit"]}`, "invalid_client_metadata"},
		"only refresh":      {`{"application_type":"native","redirect_uris":["http://127.0.0.1:1/cb"],"grant_types":["refresh_token"]}`, "invalid_client_metadata"},
		"response type":     {`{"application_type":"native","redirect_uris":["http://127.0.0.1:1/cb"],"response_types":["token"]}`, "invalid_client_metadata"},
		"own id":            {`{"application_type":"native","client_id":"admin","redirect_uris":["http://127.0.0.1:1/cb"]}`, "invalid_client_metadata"},
		"unknown method":    {`{"application_type":"native","redirect_uris":["http://127.0.0.1:1/cb"],"token_endpoint_auth_method":"tls"}`, "invalid_client_metadata"},
		"key without keys":  {`{"application_type":"native","redirect_uris":["http://127.0.0.1:1/cb"],"token_endpoint_auth_method":"private_key_jwt"}`, "invalid_client_metadata"},
		"no redirects":      {`{"application_type":"native"}`, "invalid_redirect_uri"},
		"redirect to web":   {`{"application_type":"native","redirect_uris":["https://evil.example.com/cb"]}`, "invalid_redirect_uri"},
		"redirect to LAN":   {`{"application_type":"native","redirect_uris":["http://192.168.0.1/cb"]}`, "invalid_redirect_uri"},
		"fragment":          {`{"application_type":"native","redirect_uris":["http://127.0.0.1:1/cb#x"]}`, "invalid_redirect_uri"},
		"javascript":        {`{"application_type":"native","redirect_uris":["javascript:alert(1)"]}`, "invalid_redirect_uri"},
		"one good, one bad": {`{"application_type":"native","redirect_uris":["http://127.0.0.1:1/cb","https://evil.example.com/cb"]}`, "invalid_redirect_uri"},
	} {
		answer, err := http.Post(s.Endpoint("register"), "application/json", strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		var out map[string]any
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err := json.Unmarshal(body, &out); err != nil {
			t.Fatalf("%s: %s", name, body)
		}
		code, _ := out["error"].(string)
		if code != test.code || (code == "") != (answer.StatusCode == http.StatusCreated) || (code == "") != (out["client_id"] != nil) {
			t.Errorf("%s: got %d %s, want the error %q", name, answer.StatusCode, body, test.code)
		}
		if method := out["token_endpoint_auth_method"]; code == "" && (method == methodNone) == (out["client_secret"] != nil) {
			t.Errorf("%s: the secret does not go with the method: %s", name, body)
		}
	}
	if n := s.Counts().Registrations; n != 3 {
		t.Errorf("registrations: %d", n)
	}
	answer, err := http.Post(New(t, Options{NoRegistration: true}).Endpoint("register"), "application/json", strings.NewReader("{}"))
	if err != nil || answer.StatusCode != http.StatusNotFound {
		t.Errorf("registration that is left out: %v, %v", answer, err)
	}
}

func TestForgottenClients(t *testing.T) {
	s := New(t, Options{Clients: []Client{public()}, Knobs: Knobs{Registration: map[string]any{"client_secret_expires_at": 1, "grant_types": nil}}})
	answer, err := http.Post(s.Endpoint("register"), "application/json", strings.NewReader(`{"application_type":"native","redirect_uris":["`+redirectTo+`"]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var out map[string]any
	if err := json.NewDecoder(answer.Body).Decode(&out); err != nil || out["client_secret_expires_at"] != 1.0 || out["grant_types"] != nil {
		t.Errorf("%v, %v", out, err)
	}
	id, _ := out["client_id"].(string)
	if s.Client(id) == nil {
		t.Fatalf("there is no client %q", id)
	}
	s.Forget()
	if s.Client(id) != nil || s.Client("public") == nil {
		t.Error("Forget forgot the wrong clients")
	}
}

func TestClientDocuments(t *testing.T) {
	const id = "https://client.example.com/client.json"
	good := `{"client_id":"` + id + `","client_name":"x","redirect_uris":["` + redirectTo + `"]}`
	for name, test := range map[string]struct{ id, document, problem string }{
		"good":           {id, good, ""},
		"other id":       {id, strings.Replace(good, "client.json", "other.json", 1), "not its URL"},
		"not JSON":       {id, "<html>", "not valid"},
		"no name":        {id, strings.Replace(good, "client_name", "x", 1), "must have client_name"},
		"no redirects":   {id, strings.Replace(good, "redirect_uris", "x", 1), "must have client_name and redirect_uris"},
		"secret":         {id, strings.Replace(good, "{", `{"client_secret":"s",`, 1), "must not have a secret"},
		"secret method":  {id, strings.Replace(good, "{", `{"token_endpoint_auth_method":"client_secret_basic",`, 1), "must be none"},
		"http":           {"http://client.example.com/client.json", good, "https URL"},
		"without a path": {"https://client.example.com", good, "https URL"},
		"without a host": {"https:/client.json", good, "https URL"},
	} {
		_, err := documented(test.id, json.RawMessage(test.document))
		if (err == nil) != (test.problem == "") || err != nil && !strings.Contains(err.Error(), test.problem) {
			t.Errorf("%s: got %v, want %q", name, err, test.problem)
		}
	}
}

func TestSecrets(t *testing.T) {
	s := New(t, Options{Clients: []Client{
		{ID: "basic", Secret: "a b:ü%", GrantTypes: []string{grantClient}},
		{ID: "post", Method: methodPost, GrantTypes: []string{grantClient}}}})
	machine := clientcredentials.Config{ClientID: "basic", ClientSecret: "a b:ü%", TokenURL: s.Endpoint("token"), Scopes: []string{"mcp"},
		EndpointParams: url.Values{"resource": {s.URL()}}, AuthStyle: oauth2.AuthStyleInHeader}
	token, err := machine.Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	allowed(t, s, token.AccessToken, "echo")
	credentials := base64.StdEncoding.EncodeToString([]byte(url.QueryEscape("basic") + ":" + url.QueryEscape("a b:ü%")))
	if !slices.Contains(s.Secrets(), credentials) {
		t.Errorf("the secrets lack the Basic credentials %q", credentials)
	}
	if token.RefreshToken != "" {
		t.Error("client_credentials gave a refresh token")
	}
	machine.ClientSecret = "wrong"
	if _, err := machine.Token(t.Context()); err == nil || !strings.Contains(err.Error(), "invalid_client") {
		t.Errorf("a wrong secret: %v", err)
	}
	secret := s.Client("post").Secret
	if !strings.HasPrefix(secret, "canary-secret-") {
		t.Errorf("the secret lacks the canary: %q", secret)
	}
	form := url.Values{"grant_type": {grantClient}, "client_id": {"post"}, "client_secret": {secret}, "resource": {s.URL()}, "scope": {"mcp"}}
	if code, _ := post(t, s, s.Endpoint("token"), form); code != "" {
		t.Errorf("client_secret_post: %q", code)
	}
	form.Del("resource")
	if code, _ := post(t, s, s.Endpoint("token"), form); code != "invalid_target" {
		t.Errorf("without resource: %q", code)
	}
	form = url.Values{"grant_type": {grantClient}, "client_id": {"post"}, "client_secret": {secret}, "resource": {s.URL()}, "scope": {"root"}}
	if code, _ := post(t, s, s.Endpoint("token"), form); code != "invalid_scope" {
		t.Errorf("an unknown scope: %q", code)
	}
	form.Set("grant_type", grantRefresh)
	if code, _ := post(t, s, s.Endpoint("token"), form); code != "unauthorized_client" {
		t.Errorf("a grant type that the client has not: %q", code)
	}
	form.Set("grant_type", grantClient)
	form.Set("client_id", "basic")
	if code, _ := post(t, s, s.Endpoint("token"), form); code != "invalid_client" {
		t.Errorf("basic by post: %q", code)
	}
}

// One request authenticates one client, in one way.
func TestBasic(t *testing.T) {
	s := New(t, Options{Clients: []Client{{ID: "basic", Secret: "b", GrantTypes: []string{grantClient}}, {ID: "loose", Method: methodNone, GrantTypes: []string{grantClient}}}})
	for name, test := range map[string]struct {
		header string
		form   url.Values
		code   string
	}{
		"good":           {"Basic YmFzaWM6Yg==", nil, ""},
		"id twice":       {"Basic YmFzaWM6Yg==", url.Values{"client_id": {"basic"}}, ""},
		"other id":       {"Basic YmFzaWM6Yg==", url.Values{"client_id": {"loose"}}, "invalid_client"},
		"two ways":       {"Basic YmFzaWM6Yg==", url.Values{"client_id": {"basic"}, "client_secret": {"b"}}, "invalid_client"},
		"with assertion": {"Basic YmFzaWM6Yg==", url.Values{"client_assertion": {"x"}}, "invalid_client"},
		"not encoded":    {"Basic YmFzaWM6JQ==", nil, "invalid_client"},
		"not Basic":      {"Bearer x", url.Values{"client_id": {"loose"}}, "invalid_client"},
		"no credentials": {"", url.Values{"client_id": {"loose"}}, "unauthorized_client"},
	} {
		form := with(url.Values{"grant_type": {grantClient}, "resource": {s.URL()}}, test.form)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Endpoint("token"), strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if test.header != "" {
			r.Header.Set("Authorization", test.header)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var out map[string]any
		err = json.NewDecoder(answer.Body).Decode(&out)
		answer.Body.Close()
		if code, _ := out["error"].(string); err != nil || code != test.code {
			t.Errorf("%s: got %v, want %q", name, out, test.code)
		}
		if asks := answer.Header.Get("WWW-Authenticate") != ""; asks != (test.header != "" && test.code == "invalid_client") {
			t.Errorf("%s: WWW-Authenticate %q", name, answer.Header.Get("WWW-Authenticate"))
		}
	}
}

func TestClientAssertions(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	jwks, _ := json.Marshal(map[string]any{"keys": []any{publicJWK(&key.PublicKey)}})
	s := New(t, Options{Clients: []Client{{ID: "keyed", Method: methodKey, JWKS: jwks, GrantTypes: []string{grantClient}}}})
	now := time.Now()
	good := func() *claims {
		return &claims{Issuer: "keyed", Subject: "keyed", Audience: audience{s.Issuer()}, Expires: now.Add(time.Minute).Unix(), IssuedAt: now.Unix(), ID: random()}
	}
	unsigned := func(c *claims) string {
		parts := strings.Split(sign(key, "JWT", c), ".")
		return b64.EncodeToString([]byte(`{"alg":"none"}`)) + "." + parts[1] + "."
	}
	for name, test := range map[string]struct {
		change func(*claims)
		sign   func(*claims) string
		good   bool
	}{
		"good":           {good: true},
		"token endpoint": {change: func(c *claims) { c.Audience = audience{s.Endpoint("token")} }, good: true},
		"a clock behind": {change: func(c *claims) { c.Expires = now.Add(-10 * time.Second).Unix() }, good: true},
		"expired":        {change: func(c *claims) { c.Expires = now.Add(-time.Minute).Unix() }},
		"no exp":         {change: func(c *claims) { c.Expires = 0 }},
		"lasts too long": {change: func(c *claims) { c.Expires = now.Add(3 * time.Hour).Unix() }},
		"future":         {change: func(c *claims) { c.IssuedAt = now.Add(time.Minute).Unix() }},
		"not yet":        {change: func(c *claims) { c.NotBefore = now.Add(time.Minute).Unix() }},
		"no jti":         {change: func(c *claims) { c.ID = "" }},
		"other issuer":   {change: func(c *claims) { c.Issuer = "other" }},
		"other subject":  {change: func(c *claims) { c.Subject = "other" }},
		"other audience": {change: func(c *claims) { c.Audience = audience{"https://other.example.com"} }},
		"two audiences":  {change: func(c *claims) { c.Audience = append(c.Audience, "https://other.example.com") }},
		"no audience":    {change: func(c *claims) { c.Audience = nil }},
		"stranger's key": {sign: func(c *claims) string { return sign(stranger, "JWT", c) }},
		"not signed":     {sign: unsigned},
		"another typ":    {sign: func(c *claims) string { return sign(key, "at+jwt", c) }},
		"changed content": {sign: func(c *claims) string {
			text := sign(key, "JWT", c)
			c.ID = "x"
			return strings.Split(sign(stranger, "JWT", c), ".")[0] + "." + strings.Split(sign(stranger, "JWT", c), ".")[1] + "." + strings.Split(text, ".")[2]
		}},
	} {
		c := good()
		if test.change != nil {
			test.change(c)
		}
		if test.sign == nil {
			test.sign = func(c *claims) string { return sign(key, "JWT", c) }
		}
		form := url.Values{"grant_type": {grantClient}, "client_id": {"keyed"}, "client_assertion_type": {assertionType}, "client_assertion": {test.sign(c)}, "resource": {s.URL()}}
		want := "invalid_client"
		if test.good {
			want = ""
		}
		if test.good {
			form.Del("client_id") // the assertion has it
		}
		if code, answer := post(t, s, s.Endpoint("token"), form); code != want {
			t.Errorf("%s: got %v, want %q", name, answer, want)
		}
		if code, answer := post(t, s, s.Endpoint("token"), form); code != "invalid_client" || test.good && !strings.Contains(answer["error_description"].(string), "jti was used") {
			t.Errorf("%s, again: %v", name, answer)
		}
	}
	form := url.Values{"grant_type": {grantClient}, "client_id": {"keyed"}, "client_assertion_type": {"x"}, "client_assertion": {sign(key, "JWT", good())}, "resource": {s.URL()}}
	if code, _ := post(t, s, s.Endpoint("token"), form); code != "invalid_client" {
		t.Errorf("another client_assertion_type: %q", code)
	}
}
