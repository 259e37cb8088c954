package daemon

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-editord/mcp-editord/config"
)

// remoteWarnings warns about the hosts that a definition connects to and signs in at, if you may
// take one for another, and names the variables of your environment that are sent to each.
func remoteWarnings(s config.Shown) []string {
	server, warnings := examineAddress(s.URL, "Connects to ", "it connects to")
	sends := func(names []string, host string) {
		if len(names) == 0 {
			return
		}
		quoted := make([]string, len(names))
		for i, name := range names {
			quoted[i] = strconv.Quote(name)
		}
		warnings = append(warnings, "Sends "+strings.Join(quoted, ", ")+" from your environment to "+host+".")
	}
	a := s.OAuth
	if a == nil {
		sends(s.Takes, server)
		return warnings
	}

	const signsIn, decides = "Signs in at ", "it signs in at"
	issuer, provider := "the host that the server names for signing in", ""
	var more []string
	if a.Issuer != "" {
		issuer, more = examineAddress(a.Issuer, signsIn, decides)
		warnings = append(warnings, more...)
	}
	toIssuer := taken(append([]string{a.Issuer, a.ClientID, a.ClientSecret, a.ClientMetadataURL, a.KeyID}, a.Scopes...)...)
	toServer := taken(slices.Concat([]string{s.URL}, slices.Collect(maps.Values(s.HeaderValues)), s.Roots, bound(s))...)
	var toProvider []string
	if e := a.Enterprise; e != nil {
		provider, more = examineAddress(e.Issuer, signsIn, decides)
		warnings = append(warnings, more...)
		toProvider = taken(e.Issuer, e.ClientID, e.ClientSecret)
	}
	signing := slices.Concat(toIssuer, toProvider, taken(a.PrivateKeyFile))
	sends(slices.DeleteFunc(slices.Clone(s.Takes), func(name string) bool {
		return slices.Contains(signing, name) && !slices.Contains(toServer, name)
	}), server)
	sends(toIssuer, issuer)
	if a.PrivateKeyFile != "" {
		warnings = append(warnings, "Signs in with the key "+strconv.Quote(a.PrivateKeyFile)+", and sends the token that it gets to "+server+".")
	}
	sends(toProvider, provider)
	return warnings
}

// examineAddress returns the host of address for a sentence, and warnings about it that begin with
// verb. decides says what a variable decides if that is the host.
func examineAddress(address, verb, decides string) (host string, warnings []string) {
	u, ok := (config.Definition{URL: address}).Endpoint()
	if !ok {
		return "a host that a variable decides", []string{"A variable decides which host " + decides + "."}
	}
	host, notes, err := examineHost(u)
	if err != nil {
		host, notes = u.Hostname(), []string{"its name is not valid"}
	}
	for _, note := range notes {
		warnings = append(warnings, verb+host+": "+note+".")
	}
	return host, warnings
}

// taken returns the names of the variables of the environment in texts, sorted.
func taken(texts ...string) []string {
	return slices.Sorted(slices.Values(config.Definition{Args: texts}.Takes()))
}

// bound returns the values of arguments that a definition fills in.
func bound(s config.Shown) []string {
	var values []string
	for _, arguments := range s.Bind {
		values = slices.AppendSeq(values, maps.Values(arguments))
	}
	return values
}
