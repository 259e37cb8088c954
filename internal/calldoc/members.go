package calldoc

import "slices"

// The names of the members that do not say what a call asks for.
const (
	memberURI     = "uri"
	memberWith    = "with"
	memberContext = "context"
	memberResult  = "result"
	memberError   = "error"
	memberFile    = "file"  // of the context
	memberLines   = "lines" // of the context
)

// The members that say what a call asks for.
var kinds = []Kind{Tool, Prompt, Resource, Answer}

// A member is one that a call may have.
type member struct {
	name    string
	meaning string
	of      []Kind // the calls that may have it; nil for all
}

var members = []member{
	{string(Tool), "the tool to call, as SERVER.TOOL", []Kind{Tool}},
	{string(Prompt), "the prompt to get, as SERVER.PROMPT", []Kind{Prompt}},
	{string(Resource), "the server to read a resource from; uri says which", []Kind{Resource}},
	{string(Answer), "the question that this answers", []Kind{Answer}},
	{memberURI, "the URI of the resource to read", []Kind{Resource}},
	{memberWith, "the arguments", []Kind{Tool, Prompt, Answer}},
	{memberContext, "what ${file}, ${selectedText} and the like mean", nil},
	{memberResult, "what came of the call; running it again replaces it", nil},
	{memberError, "what went wrong; running the call again replaces it", nil},
}

var contextMembers = []member{
	{memberFile, "a file, relative to the workspace folder", nil},
	{memberLines, "the selected lines of the file, as 10-24", nil},
}

// fits reports whether a call of kind k may have the member. Any member fits a call that does not say its kind yet.
func (m member) fits(k Kind) bool { return k == "" || m.of == nil || slices.Contains(m.of, k) }

// names returns the names of a table of members.
func names(table []member) (list []string) {
	for _, m := range table {
		list = append(list, m.name)
	}
	return list
}

// find returns the member of that name.
func find(table []member, name string) (member, bool) {
	i := slices.IndexFunc(table, func(m member) bool { return m.name == name })
	if i < 0 {
		return member{}, false
	}
	return table[i], true
}
