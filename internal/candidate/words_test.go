package candidate

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/registry"
)

func TestNames(t *testing.T) {
	for reference, want := range map[string]string{
		"@modelcontextprotocol/server-everything@1": "everything", "mcp-server-time": "time", "foo-mcp": "foo", "@playwright/mcp@latest": "playwright",
		"ghcr.io/github/github-mcp-server:1": "github", "mcp/fetch@sha256:ab": "fetch", "io.github.acme/weather-mcp": "weather",
		"io.github.acme/mcp": "acme", "mcp_server_git[x]==1.2": "git", "/home/me/weather/build/index.js": "weather", `C:\tools\notes-mcp.exe`: "notes",
		"": "", "mcp": "", "a b\u202ec": "a-b-c",
	} {
		if got := nameOf(reference); got != want {
			t.Errorf("nameOf(%q) = %q, want %q", reference, got, want)
		}
	}
	for address, want := range map[string]string{
		"https://mcp.linear.app/mcp": "linear", "http://localhost:3000/mcp": "localhost", "https://api.githubcopilot.com/mcp/": "githubcopilot",
		"https://mcp.foo.co.uk/": "foo", "https://x.ai/mcp": "x", "http://127.0.0.1:1/": "", "http://[::1]/": "-1", "https://%": "",
	} {
		if got := nameOfURL(address); got != want {
			t.Errorf("nameOfURL(%q) = %q, want %q", address, got, want)
		}
	}
	for line, want := range map[string]string{
		"npx -y -p foo bar-mcp x": "bar", "uvx --from git+https://github.com/oraios/serena serena-mcp-server": "serena", "python -m mcp_server_time": "time",
		"docker run -i -e A -v /a:/b mcp/fetch": "fetch", "cmd /c npx -y x-mcp": "x", "/opt/bin/thing --mcp": "thing", "uv run --directory /x server.py": "server",
		"npx mcp-remote https://mcp.linear.app/sse": "linear", "pnpm dlx a-mcp": "a",
	} {
		words := strings.Fields(line)
		if got := (definition{Command: words[0], Args: words[1:]}).name(); got != want {
			t.Errorf("the name of %q is %q, want %q", line, got, want)
		}
	}
}

func TestSecrets(t *testing.T) {
	for _, test := range []struct {
		name, value string
		shown       string // "" is the value
		kept        string
	}{
		{"GITHUB_TOKEN", "abc", "${input:github-token}", "abc"},
		{"apiKey", "abc", "${input:api-key}", "abc"},
		{"X-Auth", "abc", "${input:x-auth}", "abc"},
		{"SECRET_ID", "abc", "${input:secret-id}", "abc"},
		{"TOKEN_FILE", "/run/token", "", ""},
		{"API_KEY_URL", "https://x.example", "", ""},
		{"API_URL", "https://me:pw@x.example/", "https://me:${input:api-url-password}@x.example/", "pw"},
		{"MAX_TOKENS", "4096", "", ""},
		{"MONKEY", "george", "", ""},
		{"GOOGLE_APPLICATION_CREDENTIALS", "/home/me/key.json", "", ""},
		{"USE_AUTH", "true", "", ""},
		{"X", "github_pat_11AB", "${input:x}", "github_pat_11AB"},
		{"X", "eyJhbGciOiJIUzI1NiJ9.e30.x", "${input:x}", "eyJhbGciOiJIUzI1NiJ9.e30.x"},
		{"X", "see AKIA1234567890 there", "see ${input:x-token} there", "AKIA1234567890"},
		{"X", "sk-learn", "", ""},
		{"Authorization", "Bearer abc", "Bearer ${input:authorization}", "abc"},
		{"Authorization", "Basic YTpi", "Basic ${input:authorization}", "YTpi"},
		{"X", "bearer abc", "bearer ${input:x}", "abc"},
		{"Authorization", "Bearer ${env:T}", "", ""},
		{"PASSWORD", "a${b", "${input:password}", "a${b"},
		{"PASSWORD", "a${b}", "${input:password}", "a${b}"},
		{"Authorization", "Bearer <token>", "Bearer ${input:authorization}", ""},
		{"TOKEN", "", "${input:token}", ""},
		{"TOKEN", "xxx", "${input:token}", ""},
		{"TOKEN", "ghp_xxxxxxxxxx", "${input:token}", ""},
		{"API_KEY", "YOUR_API_KEY", "${input:api-key}", ""},
		{"REGION", "<region>", "${input:region}", ""},
		{"EMPTY", "", "", ""},
		{"DSN", "Server=x;Password=a b;Y=1", "Server=x;Password=${input:password} b;Y=1", "a"},
		{"URL", "https://x.example/?a=1&token=t%20t#f", "https://x.example/?a=1&token=${input:token}#f", "t%20t"},
	} {
		d := newDraft("s")
		got := d.conceal(test.name, test.value)
		want := test.shown
		if want == "" {
			want = test.value
		}
		kept := ""
		for _, value := range d.Secrets {
			kept = value
		}
		if got != want || kept != test.kept {
			t.Errorf("conceal(%q, %q) = %q and keeps %q, want %q and %q", test.name, test.value, got, kept, want, test.kept)
		}
	}
}

func TestSplit(t *testing.T) {
	for line, want := range map[string][]string{
		`a  'b c' "d \" \x" e\ f ''`:        {"a", "b c", `d " \x`, "e f", ""},
		"a \\\n  b # c\n":                   nil,
		"a \\\n  b # c":                     {"a", "b"},
		`a#b "$A-${B}" '$C' $ $1 ~/x a~`:    {"a#b", "${env:A}-${env:B}", "$C", "$", "$1", "${userHome}/x", "a~"},
		"a ${env:X} ${workspaceFolder} <d>": {"a", "${env:X}", "${workspaceFolder}", "<d>"},
		"a | b":                             nil, "a; b": nil, "a && b": nil, "a $(b)": nil, `a "$(b)"`: nil, "a `b`": nil, "a > b": nil, "a < b": nil,
		"a ${X:-1}": nil, "a 'b": nil, `a "b`: nil,
	} {
		got, err := split(line)
		if (err != nil) != (want == nil) || !slices.Equal(got, want) {
			t.Errorf("split(%q) = %q, %v; want %q", line, got, err, want)
		}
	}
}

func TestOptions(t *testing.T) {
	for name, test := range map[string]struct {
		words []string
		o     Options
		want  string // the definition
		ids   string
	}{
		"a command":     {[]string{"x"}, Options{Command: []string{"sh", "-c", "echo $A"}, Env: []string{"TOKEN=1", "LEVEL"}}, `{"command":"sh","args":["-c","echo $A"],"env":{"LEVEL":"${input:level}","TOKEN":"${input:token}"}}`, "token level"},
		"no name":       {nil, Options{Command: []string{"x-mcp"}}, `{"command":"x-mcp"}`, ""},
		"headers":       {[]string{"https://x.example"}, Options{Headers: []string{"X-Key: a", "Accept:b", "Authorization"}}, `{"url":"https://x.example","headers":{"Accept":"b","Authorization":"${input:authorization}","X-Key":"${input:x-key}"}}`, "x-key authorization"},
		"a container":   {[]string{"docker:mcp/x"}, Options{Env: []string{"A=b"}}, `{"command":"docker","args":["run","-e","A","-i","--rm","mcp/x"],"env":{"A":"b"}}`, ""},
		"another value": {[]string{`{"command": "x", "env": {"TOKEN": "old"}}`}, Options{Env: []string{"TOKEN=new"}}, `{"command":"x","env":{"TOKEN":"${input:token}"}}`, "token"},
	} {
		t.Run(name, func(t *testing.T) {
			s := parsed(t, test.words, test.o).Servers[0]
			var ids []string
			for _, in := range s.Inputs {
				ids = append(ids, in.ID)
			}
			var got any
			if err := json.Unmarshal(s.Definition, &got); err != nil {
				t.Fatal(err)
			}
			compact, _ := json.Marshal(got)
			var want any
			_ = json.Unmarshal([]byte(test.want), &want)
			wanted, _ := json.Marshal(want)
			if string(compact) != string(wanted) || strings.Join(ids, " ") != test.ids {
				t.Errorf("got %s with %q, want %s with %q", compact, ids, wanted, test.ids)
			}
			if s.Secrets["token"] == "old" {
				t.Error("the value that was replaced is kept")
			}
		})
	}
}

func TestApart(t *testing.T) {
	s := parsed(t, []string{`{"b": {"command": "x", "env": {"TOKEN": "2", "B_TOKEN": "3", "MY": "${input:shared}"}}}`}, Options{}).Servers[0]
	apart := Apart(s, []string{"shared", "token"})
	accepted(t, apart)
	values := map[string]string{}
	for _, in := range apart.Inputs {
		if !strings.Contains(string(apart.Definition), `"${input:`+in.ID+`}"`) {
			t.Errorf("%s does not use %s", apart.Definition, in.ID)
		}
		values[in.ID] = apart.Secrets[in.ID]
	}
	want := map[string]string{"b-b-token": "2", "b-token": "3", "b-shared": ""}
	if !maps.Equal(values, want) || len(apart.Secrets) != 2 {
		t.Errorf("got %q, %q, want %q", values, apart.Secrets, want)
	}
	if s.Secrets["token"] != "2" || !strings.Contains(string(s.Definition), "${input:token}") {
		t.Errorf("the server itself became %+v", s)
	}
}

func TestRefused(t *testing.T) {
	deep, closed := strings.Repeat("[", 100_000), strings.Repeat("]", 100_000)
	for name, test := range map[string]struct {
		words []string
		o     Options
		want  string
	}{
		"nothing":           {nil, Options{}, "NAME -- COMMAND"},
		"blank":             {[]string{" \n"}, Options{}, "NAME -- COMMAND"},
		"a comment":         {[]string{"# npx x"}, Options{}, "no command"},
		"a word":            {[]string{"time"}, Options{}, "nothing that can be added"},
		"a token":           {[]string{"ghp_abc123"}, Options{}, "nothing that can be added"},
		"no command":        {[]string{"x"}, Options{Command: []string{}}, "nothing that can be added"},
		"not a package":     {[]string{"npm:--call=x"}, Options{}, "not a package of npm"},
		"not an image":      {[]string{"docker:-v/:/x"}, Options{}, "not a package of docker"},
		"no server":         {[]string{`{"a": 1}`}, Options{}, "is no server"},
		"is not understood": {[]string{`{"mcpServers": {"a": 1}}`}, Options{}, "is no server"},
		"a type":            {[]string{`{"type": "builtin", "command": "x"}`}, Options{}, "is not understood"},
		"bad args":          {[]string{`{"command": "x", "args": [{}]}`}, Options{}, "is not understood"},
		"deep":              {[]string{`{"a": ` + deep + closed + "}"}, Options{}, "not valid"},
		"unclosed":          {[]string{`{"a": ` + deep}, Options{}, "is a part of it missing?"},
		"many brackets":     {[]string{`{"a": ` + deep + deep + deep}, Options{}, "brackets"},
		"NUL":               {[]string{`{"command": "x\u0000"}`}, Options{}, "is not understood"},
		"twice":             {[]string{`{"command": "x", "command": "y"}`}, Options{}, "not valid"},
		"a header":          {[]string{"https://x.example"}, Options{Headers: []string{"X Y: a"}}, "is not a name"},
		"env for a URL":     {[]string{"https://x.example"}, Options{Env: []string{"A=b"}}, "--env is for"},
		"env for several":   {[]string{`{"a": {"command": "x"}, "b": {"command": "x"}}`}, Options{Env: []string{"A=b"}}, "for one server"},
		"a name for two":    {[]string{"n", `{"a": {"command": "x"}, "b": {"command": "x"}}`}, Options{}, "names of their own"},
		"many inputs":       {[]string{"x" + strings.Repeat(" <a>", 101)}, Options{}, "more than 100 inputs"},
		"another program":   {[]string{"claude mcp add x -- z"}, Options{}, "for another program"},
		"its JSON":          {[]string{`code --add-mcp '{"command": "x"}'`}, Options{}, "for another program"},
		"odd inputs":        {[]string{`{"servers": {}, "inputs": [1]}`}, Options{}, "cannot be read"},
		"odd env":           {[]string{`{"command": "x", "env": [1]}`}, Options{}, "is not understood"},
		"odd value":         {[]string{`{"command": "x", "env": {"A": {}}}`}, Options{}, "is not understood"},
		"odd url":           {[]string{`{"url": {}, "command": "x"}`}, Options{}, "is not understood"},
		"many servers":      {[]string{"{" + manyServers() + "}"}, Options{}, "1 to 100 servers"},
		"pipes":             {[]string{"curl https://x.example | sh"}, Options{}, "needs a shell"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Parse(test.words, test.o)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %+v, %v; want an error with %q", p, err, test.want)
			} else if strings.Contains(err.Error(), "ghp_abc") {
				t.Errorf("%v shows a secret", err)
			}
		})
	}
}

func manyServers() string {
	var text strings.Builder
	for i := range 101 {
		fmt.Fprintf(&text, `"s%d": {"command": "x"},`, i)
	}
	return text.String()
}

// What is large, strange or bent on growing is read within bounds.
func TestHostile(t *testing.T) {
	p := parsed(t, []string{`{"__proto__": {"command": "x", "args": ["\u202e", "<script>"]}, "constructor": {"url": "https://x.example", "\u202e\n": 1}}`}, Options{})
	if len(p.Servers) != 2 || p.Servers[0].Name != "__proto__" || p.Servers[1].Notes[0] != `Not carried over: \u{202e}\n.` {
		t.Errorf("got %+v", p)
	}
	for _, text := range []string{`{"command": "x", "env": {"A": "%"}}`, `{"command": "x", "args": ["%"]}`, `{"url": "https://x.example/%"}`, "x %"} {
		for _, part := range []string{"a", "=", "<a", "${", "'a'", "&t=", "://a:", `\"a`, "sk-"} {
			p, err := Parse([]string{strings.ReplaceAll(text, "%", strings.Repeat(part, 4_000/len(part)))}, Options{})
			if err == nil && len(p.Servers) == 1 {
				accepted(t, p.Servers[0])
			} else if err == nil || len(err.Error()) > 1000 {
				t.Errorf("%s with %q: %d servers, %.100v", text, part, len(p.Servers), err)
			}
		}
	}

	in := registry.Input{Value: "x"}
	for range 20 { // 2 to the power of 10 for each
		in = registry.Input{Value: strings.Repeat("{a}", 1024), Variables: map[string]registry.Input{"a": in}}
	}
	s := registry.Server{Name: "a/b", Remotes: []registry.Remote{{Type: "sse", URL: "https://x.example", Headers: []registry.NamedInput{{Name: "X", Input: in}}}}}
	ways, byHand, err := FromServerJSON(s, "")
	if err != nil || ways != nil || len(byHand) != 1 || !strings.Contains(byHand[0], "too long") {
		t.Errorf("got %+v, %q, %v", ways, byHand, err)
	}
}
