package registry

// Server is a server.json: what a publisher says of a server. All of it is the publisher's text.
type Server struct {
	Name        string    `json:"name"` // PUBLISHER/NAME
	Title       string    `json:"title"`
	Description string    `json:"description"`
	Version     string    `json:"version"`
	Packages    []Package `json:"packages"`
	Remotes     []Remote  `json:"remotes"`
	Repository  struct {
		URL string `json:"url"`
	} `json:"repository"`
}

// The values of [Package.RegistryType] that a runner is known for.
const (
	NPM   = "npm"
	PyPI  = "pypi"
	OCI   = "oci"
	NuGet = "nuget"
)

// Package is a program that runs a server.
type Package struct {
	RegistryType         string       `json:"registryType"`
	RegistryBaseURL      string       `json:"registryBaseUrl"`
	Identifier           string       `json:"identifier"`
	Version              string       `json:"version"`   // exact; "" for OCI, whose identifier has a tag, and for MCPB
	Transport            Remote       `json:"transport"` // how to speak with the program
	RuntimeArguments     []Argument   `json:"runtimeArguments"`
	PackageArguments     []Argument   `json:"packageArguments"`
	EnvironmentVariables []NamedInput `json:"environmentVariables"`
}

// Remote is an endpoint of a server that runs elsewhere.
type Remote struct {
	Type      string           `json:"type"` // streamable-http or sse; of a package also stdio
	URL       string           `json:"url"`  // {name} stands for a variable
	Headers   []NamedInput     `json:"headers"`
	Variables map[string]Input `json:"variables"`
}

// Argument is one argument of a command.
type Argument struct {
	Type      string `json:"type"` // positional or named
	Name      string `json:"name"` // of a named one, with its dashes
	ValueHint string `json:"valueHint"`
	Input
}

// NamedInput is an environment variable or a header.
type NamedInput struct {
	Name string `json:"name"`
	Input
}

// Input is a value that is fixed, or that somebody gives.
type Input struct {
	Description string           `json:"description"`
	IsRequired  bool             `json:"isRequired"`
	IsSecret    bool             `json:"isSecret"`
	Value       string           `json:"value"` // fixed; {name} stands for a variable
	Default     string           `json:"default"`
	Choices     []string         `json:"choices"`
	Variables   map[string]Input `json:"variables"`
}

// Entry is a version of a server in a registry, and what the registry says of it.
type Entry struct {
	Server Server `json:"server"`
	Meta   struct {
		Official struct {
			Status        string `json:"status"`        // "" where a registry has none, as if it were Active
			StatusMessage string `json:"statusMessage"` // why, and what to use instead
		} `json:"io.modelcontextprotocol.registry/official"`
	} `json:"_meta"`
}

// The values of a status.
const (
	Active     = "active"
	Deprecated = "deprecated"
	Deleted    = "deleted"
)
