package candidate

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
)

var (
	versionPart = pattern(`(==|[@:\[]).*$`)
	extension   = pattern(`\.(m?js|c?js|ts|py|dll|jar|exe|git)$`)
	affixes     = pattern(`^((mcp|server)[-_.])+|([-_.](mcp|server))+$`)
	general     = pattern(`^(mcp|server|index|main|dist|build|src|cli|run|app|bin|lib|api|www|\d+|\.*)$`)
	noName      = pattern(`[^\w.-]+`)
)

// nameOf makes a name of that of a package, an image, a program or a server in a registry: what is left without the
// words that all of them have.
func nameOf(reference string) string {
	parts := strings.FieldsFunc(reference, func(r rune) bool { return r == '/' || r == '\\' })
	slices.Reverse(parts)
	for i, part := range parts {
		part = versionPart().ReplaceAllString(strings.TrimPrefix(part, "@"), "")
		part = extension().ReplaceAllString(part, "")
		if i > 0 { // a publisher, which begins with a domain
			part = part[strings.LastIndexByte(part, '.')+1:]
		}
		if part = affixes().ReplaceAllString(part, ""); !general().MatchString(part) {
			part = noName().ReplaceAllString(part, "-")
			return part[:min(len(part), 128)] // as mcp.json allows
		}
	}
	return ""
}

// nameOfURL makes a name of the host: its first label that says something.
func nameOfURL(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	for label := range strings.SplitSeq(u.Hostname(), ".") {
		if !general().MatchString(label) {
			return noName().ReplaceAllString(label, "-")
		}
	}
	return ""
}

// runners are programs that run packages, containers and scripts. between are words that stand before what they run,
// and valued their options whose value is an argument of its own.
var (
	runners = strings.Fields("npx bunx pnpx uvx dnx npm pnpm yarn bun uv pipx node tsx deno python python3 java " +
		"dotnet docker podman cmd")
	between = append(strings.Fields("run exec x dlx tool container /c"), runners...)
	valued  = strings.Fields("-p --package --from --with --python --index-url -e --env --env-file -v --volume --mount " +
		"--publish --name --network --net -u --user -w --workdir --platform --add-host --entrypoint -l --label " +
		"--directory -r --require --import --project")
)

// program returns the name of a program without its folder.
func program(command string) string {
	command = command[strings.LastIndexAny(command, `/\`)+1:]
	return strings.TrimSuffix(strings.TrimSuffix(command, ".exe"), ".cmd")
}

// name makes a name of what a definition runs or reaches.
func (d definition) name() string {
	if d.URL != "" {
		return cmp.Or(nameOfURL(d.URL), "server")
	}
	for i := 0; i < len(d.Args) && slices.Contains(runners, program(d.Command)); i++ {
		switch arg := d.Args[i]; {
		case slices.Contains(valued, arg):
			i++
		case strings.HasPrefix(arg, "-"), slices.Contains(between, arg):
		case nameOf(arg) == "remote" && i+1 < len(d.Args): // mcp-remote URL
			return cmp.Or(nameOfURL(d.Args[i+1]), "server")
		default:
			return cmp.Or(nameOf(arg), "server")
		}
	}
	return cmp.Or(nameOf(d.Command), "server")
}
