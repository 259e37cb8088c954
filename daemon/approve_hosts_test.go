package daemon

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/config"
)

// Promise 1: the question says which values of the environment go to which host.
func TestPromise1WhereValuesAreSent(t *testing.T) {
	const decides = "A variable decides which host it signs in at."
	for _, test := range []struct {
		name, entry string
		want        []string
	}{
		{"no sign-in", `"headers": {"A": "${env:T}"}`, []string{`Sends "T" from your environment to example.com.`}},
		{"nothing sent", `"oauth": {"clientId": "c", "clientSecret": "s", "issuer": "https://login.example.com"}`, nil},
		{"to the server and to its issuer", `"headers": {"A": "${env:T}"}, "oauth": {"clientId": "${env:I}", "clientSecret": "${env:S}", "issuer": "https://login.example.com"}`, []string{
			`Sends "T" from your environment to example.com.`,
			`Sends "I", "S" from your environment to login.example.com.`,
		}},
		{"the same to both", `"headers": {"A": "${env:T}"}, "oauth": {"clientId": "${env:T}", "issuer": "https://login.example.com"}`, []string{
			`Sends "T" from your environment to example.com.`,
			`Sends "T" from your environment to login.example.com.`,
		}},
		{"in an argument", `"tools": {"t": {"bind": {"p": "${env:T}"}}}, "roots": ["${env:R}"], "oauth": {"scopes": ["${env:T}", "${env:R}"]}`, []string{
			`Sends "R", "T" from your environment to example.com.`,
			`Sends "R", "T" from your environment to the host that the server names for signing in.`,
		}},
		{"no issuer", `"oauth": {"clientId": "c", "clientSecret": "${env:S}"}`, []string{`Sends "S" from your environment to the host that the server names for signing in.`}},
		{"an issuer of the environment", `"oauth": {"clientId": "${env:C}", "issuer": "${env:I}"}`, []string{decides, `Sends "C", "I" from your environment to a host that a variable decides.`}},
		{"a key is not sent", `"oauth": {"clientId": "c", "privateKeyFile": "${env:K}/key.pem", "issuer": "https://login.example.com"}`, []string{
			`Signs in with the key "${env:K}/key.pem", and sends the token that it gets to example.com.`,
		}},
		{"an enterprise", `"oauth": {"clientId": "${env:C}", "issuer": "https://login.example.com", "enterprise": {"issuer": "https://idp.example.com", "clientId": "e", "clientSecret": "${env:S}"}}`, []string{
			`Sends "C" from your environment to login.example.com.`,
			`Sends "S" from your environment to idp.example.com.`,
		}},
		{"hosts that look like others", `"oauth": {"clientId": "c", "issuer": "https://gооgle.com", "enterprise": {"issuer": "https://${env:E}", "clientId": "e"}}`, []string{
			"Signs in at gооgle.com (xn--ggle-55da.com): the name of the host has letters that may be taken for others.",
			decides,
			`Sends "E" from your environment to a host that a variable decides.`,
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := `{"servers": {"s": {"url": "https://example.com/mcp", ` + test.entry + `}}}`
			file := config.ParseFile([]byte(text), config.Source{URI: "file:///w/.mcp.json", Folder: "/w"})
			if len(file.Servers) != 1 || len(file.Problems) > 0 {
				t.Fatalf("problems %+v", file.Problems)
			}
			if got := shownOf(file.Servers[0].Shown(), "").Warnings; !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// Promise 1: nothing that the file says about signing in is lost on the way to the editor.
func TestPromise1SignInIsShownWhole(t *testing.T) {
	shown := config.Shown{OAuth: &config.OAuth{
		ClientID: "a", ClientSecret: "b", ClientMetadataURL: "c", Issuer: "d", Scopes: []string{"e"}, RedirectPort: 8080,
		Grant: "f", PrivateKeyFile: "g", KeyID: "h", Enterprise: &config.Enterprise{Issuer: "i", ClientID: "j", ClientSecret: "k"},
	}}
	const want = `{"clientId":"a","clientSecret":"b","clientMetadataUrl":"c","issuer":"d","scopes":["e"],"redirectPort":8080,` +
		`"grant":"f","privateKeyFile":"g","keyId":"h","enterprise":{"issuer":"i","clientId":"j","clientSecret":"k"}}`
	got, err := json.Marshal(definitionOf(shown).OAuth)
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

// Promise 1: the same for all else that the file says. The names differ in case at most.
func TestPromise1DefinitionIsShownWhole(t *testing.T) {
	var shown config.Shown
	fill(reflect.ValueOf(&shown).Elem())
	want, err := json.Marshal(shown)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(definitionOf(shown))
	if err != nil || !strings.EqualFold(string(got), string(want)) {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

// fill gives v, and all that it has, a value that is not zero.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("text")
	case reflect.Int:
		v.SetInt(1)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key)
		fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	default:
		panic("no value for a " + v.Kind().String())
	}
}
