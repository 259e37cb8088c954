package config

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Warnings returns what to look at twice before d may run: the variables of its
// environment that decide more than what d itself reads, and what a decision does not
// cover. Each is one sentence. Make it safe before you show it.
func (d Definition) Warnings() []string {
	var warnings, reasons []string
	names := map[string][]string{} // by reason
	for _, name := range slices.Sorted(maps.Keys(d.Env)) {
		if why := dangerous(name); why != "" {
			if names[why] == nil {
				reasons = append(reasons, why)
			}
			names[why] = append(names[why], strconv.Quote(name))
		}
	}
	for _, why := range reasons {
		warnings = append(warnings, strings.Join(names[why], ", ")+" "+why+".")
	}
	if d.EnvFile != "" {
		warnings = append(warnings, "Your decision does not cover the content of the environment file: it can change without a question, and set any variable.")
	}
	return warnings
}

// dangers are the environment variables that decide more than what a server itself reads, by name and by how the
// name begins: why, as the rest of a sentence that begins with the name. The first that fits counts.
var dangers = []struct{ why, names, prefixes string }{
	{"decides which programs are found and run", "PATH PATHEXT", ""},
	{"decides which hosts are trusted", "NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED REQUESTS_CA_BUNDLE CURL_CA_BUNDLE", "SSL_CERT_"},
	{"decides which machine connections go through", "HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY NO_PROXY", ""},
	{
		"can make any program load other code", "GCONV_PATH LOCPATH NLSPATH",
		"LD_ DYLD_ GLIBC_ GTK_ GIO_ QT_ ELECTRON_ OPENSSL_",
	},
	{"can make Node load other code", "", "NODE_ TS_NODE_ BUN_ DENO_"},
	{
		"decides what is downloaded and run, and from where", "",
		"NPM_ COREPACK_ YARN_ PNPM_ PIP_ PIPX_ UV_ POETRY_ CONDA_ CARGO_ RUSTUP_ GEM_ BUNDLE_ COMPOSER_",
	},
	{"can make Python load other code", "VIRTUAL_ENV", "PYTHON"},
	{"can make Git or SSH run other programs", "", "GIT_ SSH_ GNUPG"},
	{"can make a shell run other code", "ENV SHELLOPTS ZDOTDIR IFS PROMPT_COMMAND PS4", "BASH_"},
	{"names a program that others run", "SHELL EDITOR VISUAL PAGER MANPAGER BROWSER COMSPEC LESSOPEN LESSCLOSE", ""},
	{
		"can make Go load or run other code", "GOFLAGS GOENV GOROOT GOPATH GOBIN GOPROXY GOPRIVATE GOSUMDB GONOSUMDB " +
			"GONOPROXY GOINSECURE GOTOOLCHAIN GOMODCACHE", "",
	},
	{
		"can make the programs of a language load other code", "CLASSPATH MAKEFLAGS", "RUBY PERL LUA_ PHP ERL_ JULIA_ TCL " +
			"JAVA_ _JAVA_ JDK_ JRE_ MAVEN_ GRADLE_ DOTNET_ CORECLR_ COMPLUS_ RUSTC CGO_",
	},
	{
		"decides where programs look for their files and settings", "HOME USERPROFILE APPDATA LOCALAPPDATA TMPDIR TMP TEMP " +
			"KUBECONFIG AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE", "XDG_ DOCKER_",
	},
	{"makes the server seem to run in another folder", "PWD OLDPWD INIT_CWD PROJECT_CWD", ""},
	{"decides which daemon is found", "", "MCP_EDITORD_"},
}

// dangerous says why an environment variable decides more than what the server itself
// reads; "" when it is not known to.
func dangerous(name string) string {
	name = strings.ToUpper(name) // as npm, and Windows, read them
	for _, d := range dangers {
		begins := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
		if slices.Contains(strings.Fields(d.names), name) || slices.ContainsFunc(strings.Fields(d.prefixes), begins) {
			return d.why
		}
	}
	return ""
}
