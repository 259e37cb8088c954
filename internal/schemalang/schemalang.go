// Package schemalang says what a JSON Schema says about places in a text: what may stand there, what it
// means, and what is wrong. Schemas come from servers and from files of a project: nothing in them is
// loaded from elsewhere, and what is too deep or too large to check in reasonable time is not checked.
//
// It knows the keywords that the schemas of tools have, in the drafts 7 and 2020-12. What it does not know
// it leaves to the server, which checks everything: unevaluatedProperties, contains, and the like. A value
// that fits more than one schema of oneOf is no problem here.
package schemalang

import (
	"encoding/json"
	"regexp"
	re2 "regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// Bounds of one question about a schema. No schema of a real tool comes near them.
const (
	maxWork    = 100_000 // visits of a schema
	maxInPlace = 50      // schemas within one another that are about the same value
	maxAtOnce  = 1000    // schemas that are about one value
	maxTables  = 100     // objects in which references look for names
	maxPattern = 1000    // bytes
	maxProgram = 100_000 // instructions of all patterns together, which take memory
	maxKeyword = 8000    // bytes of a keyword that every visit reads

	stepsOfAVisit = 200 // of a pattern, which take as long as a visit
)

// readAlways are the keywords that every visit reads anew. They are short in any schema that means something.
var readAlways = []string{
	"$ref", "pattern", "format", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf",
	"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
}

// A Schema is a JSON Schema. It is not for concurrent use.
type Schema struct {
	root     *part
	parts    map[*byte]*part              // by where they begin
	tables   map[string]map[string][]byte // members of objects, by the JSON Pointer to them
	patterns map[string]program           // those that were wanted
	size     int                          // of all patterns, in instructions
	left     int                          // of the work of this question
}

// A part is the schema itself or one within it. What is read of it is kept, so that no visit reads it again.
type part struct {
	raw        []byte
	keywords   map[string][]byte
	arrays     map[string][][]byte // the elements of keywords, as far as they were wanted
	types      []string            // nil when it names none
	properties []property          // of "properties"
	byName     map[string]*part    // the same; nil until they are read
	patterns   []property          // of "patternProperties"; the names are patterns
}

type property struct {
	name string
	*part
}

// Compile returns the schema that raw is. What is not a schema allows everything.
func Compile(raw json.RawMessage) *Schema {
	s := &Schema{parts: map[*byte]*part{}, tables: map[string]map[string][]byte{}, patterns: map[string]program{}}
	if rawjson.Check(raw) != nil {
		raw = json.RawMessage("true")
	}
	s.root = s.part([]byte(strings.TrimSpace(string(raw))))
	return s
}

// begin starts a question.
func (s *Schema) begin() { s.left = maxWork }

// spend counts work, and reports whether there was some left.
func (s *Schema) spend(work int) bool {
	s.left -= work
	return s.left > 0
}

// part returns the schema that raw, a part of the whole schema, is. It is the same one each time.
func (s *Schema) part(raw []byte) *part {
	if len(raw) == 0 {
		return nil
	}
	if p := s.parts[&raw[0]]; p != nil {
		return p
	}
	p := &part{raw: raw, keywords: map[string][]byte{}, arrays: map[string][][]byte{}}
	for name, value := range rawjson.Members(raw) {
		if _, twice := p.keywords[name]; !twice {
			p.keywords[name] = value
		}
	}
	for _, name := range readAlways {
		if len(p.keywords[name]) > maxKeyword {
			delete(p.keywords, name)
		}
	}
	if p.types = texts(p.elements("type")); p.text("type") != "" {
		p.types = []string{p.text("type")}
	}
	s.parts[&raw[0]] = p
	return p
}

// elements returns what a keyword lists.
func (p *part) elements(keyword string) [][]byte {
	raw := p.keywords[keyword]
	if raw == nil {
		return nil
	}
	all, known := p.arrays[keyword]
	if !known {
		all = slices.Collect(rawjson.Elements(raw))
		p.arrays[keyword] = all
	}
	return all
}

// list returns the schemas that a keyword lists.
func (s *Schema) list(p *part, keyword string) (all []*part) {
	for _, raw := range p.elements(keyword) {
		if !s.spend(1) {
			break
		}
		all = append(all, s.part(raw))
	}
	return all
}

// read reads the properties that a schema itself names, or has patterns for.
func (s *Schema) read(p *part) {
	if p.byName != nil {
		return
	}
	p.byName = map[string]*part{}
	for name, raw := range rawjson.Members(p.keywords["properties"]) {
		if p.byName[name] == nil {
			p.byName[name] = s.part(raw)
			p.properties = append(p.properties, property{name, p.byName[name]})
		}
	}
	for pattern, raw := range rawjson.Members(p.keywords["patternProperties"]) {
		p.patterns = append(p.patterns, property{pattern, s.part(raw)})
	}
}

// required returns the names that a schema itself requires.
func (p *part) required() []string { return texts(p.elements("required")) }

// text returns a keyword that is a text.
func (p *part) text(keyword string) string {
	text, _ := rawjson.Text(p.keywords[keyword])
	return text
}

// never reports whether the schema is false, which nothing fits.
func (p *part) never() bool { return p != nil && string(p.raw) == "false" }

// texts returns those of JSON values that are texts.
func texts(values [][]byte) (all []string) {
	for _, v := range values {
		if text, ok := rawjson.Text(v); ok {
			all = append(all, text)
		}
	}
	return all
}

// unescapePointer undoes the escapes of a JSON Pointer (RFC 6901, section 3).
var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")

// referred returns the schema that a $ref names in the whole schema; nil when there is none.
func (s *Schema) referred(p *part) *part {
	pointer, ok := strings.CutPrefix(p.text("$ref"), "#")
	if !ok {
		return nil
	}
	if pointer == "" {
		return s.root
	}
	i := strings.LastIndexByte(pointer, '/')
	if i < 0 || strings.Count(pointer, "/") > maxInPlace {
		return nil
	}
	return s.part(s.table(pointer[:i])[unescapePointer.Replace(pointer[i+1:])])
}

// table returns the members of the object, or the elements of the array, that a JSON Pointer leads to.
func (s *Schema) table(pointer string) map[string][]byte {
	if table, ok := s.tables[pointer]; ok || len(s.tables) >= maxTables {
		return table
	}
	raw := s.root.raw
	if i := strings.LastIndexByte(pointer, '/'); i >= 0 {
		raw = s.table(pointer[:i])[unescapePointer.Replace(pointer[i+1:])]
	}
	table := map[string][]byte{}
	for name, value := range rawjson.Members(raw) {
		if table[name] == nil {
			table[name] = value
		}
	}
	n := 0
	for value := range rawjson.Elements(raw) {
		table[strconv.Itoa(n)] = value
		n++
	}
	s.tables[pointer] = table
	return table
}

// A program is a pattern that is ready to run. RE2 has no pattern that never ends: one takes as many steps as it
// has instructions, for each character.
type program struct {
	*regexp.Regexp // nil for one that is none
	size           int
}

// matches reports whether a pattern matches a text. A pattern that is none, or costs too much, matches everything.
func (s *Schema) matches(pattern, text string) bool {
	p, ok := s.patterns[pattern]
	if !ok && len(pattern) <= maxPattern && s.size < maxProgram {
		p = programOf(pattern)
		if s.size += p.size; s.size > maxProgram {
			p = program{}
		}
		s.patterns[pattern] = p
	}
	return p.Regexp == nil || !s.spend(1+p.size*len(text)/stepsOfAVisit) || p.MatchString(text)
}

func programOf(pattern string) (p program) {
	parsed, err := re2.Parse(pattern, re2.Perl)
	if err != nil {
		return p
	}
	if compiled, err := re2.Compile(parsed.Simplify()); err == nil {
		p = program{regexp.MustCompile(pattern), len(compiled.Inst)}
	}
	return p
}
