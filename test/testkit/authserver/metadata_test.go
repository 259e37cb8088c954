package authserver

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// get gets a JSON document; a status that is not 200 gives nil.
func get(t *testing.T, address string) map[string]any {
	t.Helper()
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != http.StatusOK {
		return nil
	}
	var out map[string]any
	if err := decode(body, &out); err != nil {
		t.Fatalf("%s: %v: %s", address, err, body)
	}
	return out
}

func TestMetadataLayouts(t *testing.T) {
	const oauth, oidc = "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"
	all := []string{oauth, oidc, oauth + "/tenant1", oidc + "/tenant1", "/tenant1" + oauth, "/tenant1" + oidc}
	for name, test := range map[string]struct {
		path string
		at   []MetadataLayout
		want []string
	}{
		"no path":        {"", nil, []string{oauth, oidc}},
		"slash":          {"/", nil, []string{oauth, oidc}},
		"path":           {"/tenant1", nil, []string{oauth + "/tenant1", oidc + "/tenant1", "/tenant1" + oidc}},
		"path and slash": {"/tenant1/", nil, []string{oauth + "/tenant1", oidc + "/tenant1", "/tenant1" + oidc}},
		"inserted":       {"/tenant1", []MetadataLayout{OAuthInsert}, []string{oauth + "/tenant1"}},
		"inserted, OIDC": {"/tenant1", []MetadataLayout{OIDCInsert}, []string{oidc + "/tenant1"}},
		"appended, OIDC": {"/tenant1", []MetadataLayout{OIDCAppend}, []string{"/tenant1" + oidc}},
		"appended":       {"/tenant1", []MetadataLayout{OAuthAppend}, []string{"/tenant1" + oauth}},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(t, Options{IssuerPath: test.path, MetadataAt: test.at})
			if !strings.HasSuffix(s.Issuer(), test.path) {
				t.Errorf("issuer %s", s.Issuer())
			}
			var got []string
			for _, path := range all {
				if m := get(t, s.first.origin()+path); m != nil {
					got = append(got, path)
					if m["issuer"] != s.Issuer() || m["token_endpoint"] != s.Endpoint("token") {
						t.Errorf("%s: %v", path, m)
					}
				}
			}
			for _, want := range test.want {
				if !strings.Contains(" "+strings.Join(got, " ")+" ", " "+want+" ") {
					t.Errorf("nothing at %s", want)
				}
			}
			if len(got) != len(test.want) {
				t.Errorf("metadata at %q, want %q", got, test.want)
			}
		})
	}
}

func TestResourceMetadata(t *testing.T) {
	for name, test := range map[string]struct {
		options Options
		path    string
	}{
		"with the path": {Options{}, prmPath + "/mcp"},
		"slash":         {Options{ResourcePath: "/mcp/"}, prmPath + "/mcp/"},
		"no path":       {Options{ResourcePath: "/"}, prmPath},
		"root":          {Options{ResourceMetadataAt: []string{"root"}}, prmPath},
		"other":         {Options{ResourceMetadataAt: []string{"other"}}, otherPath},
		"one origin":    {Options{OneOrigin: true}, prmPath + "/mcp"},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(t, test.options)
			answer, err := http.Get(s.URL())
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			address := "http://" + s.resource.front.addr + test.path
			if h := answer.Header.Get("WWW-Authenticate"); !strings.Contains(h, `resource_metadata="`+address+`"`) {
				t.Errorf("the header does not name %s: %s", address, h)
			}
			m := get(t, address)
			if m["resource"] != s.URL() || m["authorization_servers"].([]any)[0] != s.Issuer() {
				t.Errorf("%v", m)
			}
			if get(t, "http://"+s.resource.front.addr+"/nothing") != nil || s.Counts().Requests["unknown"] != 1 {
				t.Errorf("counts after a request of an unknown path: %+v", s.Counts())
			}
			if same := strings.HasPrefix(s.Issuer(), "http://"+s.resource.front.addr); same != test.options.OneOrigin {
				t.Errorf("issuer %s, MCP server %s", s.Issuer(), s.URL())
			}
		})
	}
}

func TestOptionsThatDoNotExist(t *testing.T) {
	for name, options := range map[string]Options{
		"layout":            {MetadataAt: []MetadataLayout{"x"}},
		"resource metadata": {ResourceMetadataAt: []string{"x"}},
		"resource path":     {ResourcePath: "mcp"},
		"issuer path":       {IssuerPath: "tenant1"},
		"method":            {Clients: []Client{{ID: "x", Method: "x"}}},
		"keys":              {Clients: []Client{{ID: "x", Method: methodKey}}},
		"knob":              {Knobs: Knobs{State: "x"}},
		"fault":             {Knobs: Knobs{Faults: map[string]Fault{"token": {Do: "x"}}}},
		"endpoint":          {Knobs: Knobs{Faults: map[string]Fault{"tokens": {Do: "drop"}}}},
		"empty fault":       {Knobs: Knobs{Faults: map[string]Fault{"token": {}}}},
		"down":              {Knobs: Knobs{Down: []string{"x"}}},
	} {
		if s, err := Start(options); err == nil {
			s.Close()
			t.Errorf("%s: started", name)
		}
	}
}
