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

// Why a variable is dangerous, as the rest of a sentence that begins with its name.
const (
	whyPrograms  = "decides which programs are found and run"
	whyLoader    = "can make any program load other code"
	whyNode      = "can make Node load other code"
	whyPython    = "can make Python load other code"
	whyGo        = "can make Go load or run other code"
	whyLanguage  = "can make the programs of a language load other code"
	whyShell     = "can make a shell run other code"
	whyGit       = "can make Git or SSH run other programs"
	whyCommand   = "names a program that others run"
	whyPackages  = "decides what is downloaded and run, and from where"
	whyTrust     = "decides which hosts are trusted"
	whyProxy     = "decides which machine connections go through"
	whyFiles     = "decides where programs look for their files and settings"
	whyElsewhere = "makes the server seem to run in another folder"
	whyDaemon    = "decides which daemon is found"
)

// dangerous says why an environment variable decides more than what the server itself
// reads; "" when it is not known to.
func dangerous(name string) string {
	name = strings.ToUpper(name) // as npm, and Windows, read them
	switch name {
	case "PATH", "PATHEXT":
		return whyPrograms
	case "GCONV_PATH", "LOCPATH", "NLSPATH":
		return whyLoader
	case "NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE":
		return whyTrust
	case "VIRTUAL_ENV":
		return whyPython
	case "ENV", "SHELLOPTS", "ZDOTDIR", "IFS", "PROMPT_COMMAND", "PS4":
		return whyShell
	case "SHELL", "EDITOR", "VISUAL", "PAGER", "MANPAGER", "BROWSER", "COMSPEC", "LESSOPEN", "LESSCLOSE":
		return whyCommand
	case "CLASSPATH", "MAKEFLAGS":
		return whyLanguage
	case "GOFLAGS", "GOENV", "GOROOT", "GOPATH", "GOBIN", "GOPROXY", "GOPRIVATE", "GOSUMDB", "GONOSUMDB", "GONOPROXY", "GOINSECURE", "GOTOOLCHAIN", "GOMODCACHE":
		return whyGo
	case "HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TMPDIR", "TMP", "TEMP", "KUBECONFIG", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE":
		return whyFiles
	case "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY", "NO_PROXY":
		return whyProxy
	case "PWD", "OLDPWD", "INIT_CWD", "PROJECT_CWD":
		return whyElsewhere
	}
	for _, family := range [...]struct{ why, prefixes string }{
		{whyLoader, "LD_ DYLD_ GLIBC_ GTK_ GIO_ QT_ ELECTRON_ OPENSSL_"},
		{whyNode, "NODE_ TS_NODE_ BUN_ DENO_"},
		{whyPackages, "NPM_ COREPACK_ YARN_ PNPM_ PIP_ PIPX_ UV_ POETRY_ CONDA_ CARGO_ RUSTUP_ GEM_ BUNDLE_ COMPOSER_"},
		{whyPython, "PYTHON"},
		{whyGit, "GIT_ SSH_ GNUPG"},
		{whyShell, "BASH_"},
		{whyLanguage, "RUBY PERL LUA_ PHP ERL_ JULIA_ TCL JAVA_ _JAVA_ JDK_ JRE_ MAVEN_ GRADLE_ DOTNET_ CORECLR_ COMPLUS_ RUSTC CGO_"},
		{whyTrust, "SSL_CERT_"},
		{whyFiles, "XDG_ DOCKER_"},
		{whyDaemon, "MCP_EDITORD_"},
	} {
		for prefix := range strings.FieldsSeq(family.prefixes) {
			if strings.HasPrefix(name, prefix) {
				return family.why
			}
		}
	}
	return ""
}
