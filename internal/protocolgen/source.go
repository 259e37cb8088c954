package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A proto is what editorapi says about the editor protocol.
type proto struct {
	Methods []method
	Types   []*typ            // to make, in the order in which the methods use them
	Codes   map[string]string // of kinds of errors, by value; "" is the code of all others
}

// A method is one declaration of methods.go.
type method struct {
	Name           string
	Kind           string
	Params, Result *shape // Result is nil for a notification
	Doc            string
}

// pattern tells whether the name stands for several methods.
func (m method) pattern() bool { return strings.Contains(m.Name, "<") }

// The kinds of methods.
const (
	requestToDaemon      = "requests to the daemon"
	notificationToDaemon = "notifications to the daemon"
	requestToEditor      = "requests to the editor"
	notificationToEditor = "notifications to the editor"
)

// A typ is a struct, or a string with the values that it may have.
type typ struct {
	Name   string
	Doc    string
	Fields []field
	Values []value // of a string
	Marked bool    // by a line //protocolgen:type
}

type field struct {
	Name     string
	Shape    *shape
	Optional bool
	Doc      string
	Tag      reflect.StructTag
}

type value struct{ Text, Doc string }

// A reader reads the declarations of a package.
type reader struct {
	functions map[string]*ast.FuncDecl // without methods
	structs   map[string]*ast.TypeSpec
	docs      map[string]*ast.CommentGroup // of types
	values    map[string][]value           // of strings
	names     map[string]string            // of types in the protocol, by Go's name
	marked    []string                     // types to make in any case, by Go's name
	problem   error
	made      map[string]*typ
	p         *proto
}

// parseDir reads a package without its tests.
func parseDir(dir string) (*proto, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	sources := map[string]string{}
	for _, path := range paths {
		if !strings.HasSuffix(path, "_test.go") {
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			sources[path] = string(text)
		}
	}
	if len(sources) == 0 {
		return nil, &fs.PathError{Op: "read", Path: dir, Err: errors.New("it has no Go files; run this at the root of the repository")}
	}
	return parse(sources)
}

// parse reads the files of a package. sources is their text by path.
func parse(sources map[string]string) (*proto, error) {
	r := &reader{
		functions: map[string]*ast.FuncDecl{}, structs: map[string]*ast.TypeSpec{}, docs: map[string]*ast.CommentGroup{}, values: map[string][]value{},
		names: map[string]string{}, made: map[string]*typ{}, p: &proto{Codes: map[string]string{}},
	}
	constants := map[string]string{}
	var files []*ast.File
	fset := token.NewFileSet()
	for _, path := range sorted(sources) {
		file, err := parser.ParseFile(fset, path, sources[path], parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
		r.readTypes(file)
		r.readConstants(file, constants)
	}
	for _, file := range files {
		r.readMethods(file, constants)
		r.readCodes(file, constants)
	}
	for _, name := range r.marked {
		r.need(name)
	}
	return r.p, r.problem
}

func (r *reader) fail(format string, args ...any) {
	if r.problem == nil {
		r.problem = fmt.Errorf(format, args...)
	}
}

// readTypes reads the types and the functions that make methods.
func (r *reader) readTypes(file *ast.File) {
	for _, declaration := range file.Decls {
		if f, ok := declaration.(*ast.FuncDecl); ok && f.Recv == nil {
			r.functions[f.Name.Name] = f
		}
		d, ok := declaration.(*ast.GenDecl)
		if !ok || d.Tok != token.TYPE {
			continue
		}
		for _, s := range d.Specs {
			spec := s.(*ast.TypeSpec)
			name := spec.Name.Name
			r.structs[name], r.docs[name], r.names[name] = spec, d.Doc, name
			if d.Doc == nil {
				continue
			}
			for _, line := range d.Doc.List {
				if other, ok := strings.CutPrefix(line.Text, "//protocolgen:type"); ok {
					r.marked = append(r.marked, name)
					if other = strings.TrimSpace(other); other != "" {
						r.names[name] = other
					}
				}
			}
		}
	}
}

// readConstants reads the constants that are strings, including sums of others.
func (r *reader) readConstants(file *ast.File, constants map[string]string) {
	for _, declaration := range file.Decls {
		d, ok := declaration.(*ast.GenDecl)
		if !ok || d.Tok != token.CONST {
			continue
		}
		for _, s := range d.Specs {
			spec := s.(*ast.ValueSpec)
			if len(spec.Names) != 1 || len(spec.Values) != 1 {
				continue
			}
			text, ok := constant(spec.Values[0], constants)
			if !ok {
				continue
			}
			constants[spec.Names[0].Name] = text
			if t, ok := spec.Type.(*ast.Ident); ok {
				r.values[t.Name] = append(r.values[t.Name], value{text, prose("", spec.Doc, spec.Comment)})
			}
		}
	}
}

func constant(e ast.Expr, constants map[string]string) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.Ident:
		text, ok := constants[e.Name]
		return text, ok
	case *ast.BinaryExpr:
		left, ok := constant(e.X, constants)
		right, also := constant(e.Y, constants)
		return left + right, ok && also && e.Op == token.ADD
	}
	return "", false
}

// readMethods reads the declarations `name = f[Types]("method", …)` where f returns a method.
func (r *reader) readMethods(file *ast.File, constants map[string]string) {
	for _, declaration := range file.Decls {
		d, ok := declaration.(*ast.GenDecl)
		if !ok || d.Tok != token.VAR {
			continue
		}
		for _, s := range d.Specs {
			spec := s.(*ast.ValueSpec)
			if len(spec.Values) != 1 {
				continue
			}
			call, ok := spec.Values[0].(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				continue
			}
			kind, types := r.returned(call.Fun)
			if kind == "" {
				continue
			}
			name, ok := constant(call.Args[0], constants)
			if !ok {
				r.fail("the name of the method %q is not a constant", spec.Names[0].Name)
			}
			m := method{Name: name, Kind: kind, Doc: prose(spec.Names[0].Name, spec.Doc, nil)}
			if types == nil {
				r.fail("the declaration of the method %q does not say its types", name)
				continue
			}
			if m.Doc == "" {
				r.fail("the method %q has no comment", name)
			}
			m.Params = r.shape(types[0])
			if len(types) > 1 {
				m.Result = r.shape(types[1])
			}
			r.p.Methods = append(r.p.Methods, m)
		}
	}
}

// returned returns the kind of the methods that a function makes, and their types. The kind is ""
// for a function that makes none.
func (r *reader) returned(f ast.Expr) (kind string, types []ast.Expr) {
	name, arguments := instance(f)
	declared := r.functions[name]
	if declared == nil || declared.Type.TypeParams == nil || declared.Type.Results == nil {
		return "", nil
	}
	made, types := instance(declared.Type.Results.List[0].Type)
	given := map[string]ast.Expr{}
	for _, parameters := range declared.Type.TypeParams.List {
		for _, parameter := range parameters.Names {
			if len(given) < len(arguments) {
				given[parameter.Name] = arguments[len(given)]
			}
		}
	}
	for i, t := range types {
		if parameter, ok := t.(*ast.Ident); ok && given[parameter.Name] != nil {
			types[i] = given[parameter.Name]
		}
	}
	if arguments == nil {
		types = nil
	}
	return kinds[made], types
}

// kinds are the kinds of methods by Go type.
var kinds = map[string]string{
	"requestToDaemon":      requestToDaemon,
	"notificationToDaemon": notificationToDaemon,
	"requestToEditor":      requestToEditor,
	"notificationToEditor": notificationToEditor,
}

// instance returns the name of a generic function or type, and its type arguments.
func instance(e ast.Expr) (string, []ast.Expr) {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name, nil
	case *ast.IndexExpr:
		name, _ := instance(e.X)
		return name, []ast.Expr{e.Index}
	case *ast.IndexListExpr:
		name, _ := instance(e.X)
		return name, slices.Clone(e.Indices)
	}
	return "", nil
}

// readCodes reads the code of each kind of error from the switch in the method Code.
func (r *reader) readCodes(file *ast.File, constants map[string]string) {
	for _, declaration := range file.Decls {
		f, ok := declaration.(*ast.FuncDecl)
		if !ok || f.Name.Name != "Code" || f.Recv == nil {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			clause, ok := n.(*ast.CaseClause)
			if !ok || len(clause.Body) != 1 {
				return true
			}
			returned, ok := clause.Body[0].(*ast.ReturnStmt)
			if !ok || len(returned.Results) != 1 {
				return true
			}
			negative, ok := returned.Results[0].(*ast.UnaryExpr)
			if !ok || negative.Op != token.SUB {
				return true
			}
			code := "-" + negative.X.(*ast.BasicLit).Value
			if clause.List == nil {
				r.p.Codes[""] = code
			}
			for _, kind := range clause.List {
				if text, ok := constant(kind, constants); ok {
					r.p.Codes[text] = code
				}
			}
			return true
		})
	}
}

// need adds a type, and the types of its fields, to those to make.
func (r *reader) need(name string) {
	spec := r.structs[name]
	if r.made[name] != nil {
		return
	}
	if spec == nil {
		r.fail("there is no type %s", name)
		return
	}
	t := &typ{Name: r.names[name], Doc: prose(name, r.docs[name], nil), Marked: slices.Contains(r.marked, name)}
	r.made[name] = t
	r.p.Types = append(r.p.Types, t)
	switch of := spec.Type.(type) {
	case *ast.Ident:
		if t.Values = r.values[name]; of.Name != "string" || t.Values == nil {
			r.fail("%s is neither a struct nor a string with constants", name)
		}
	case *ast.StructType:
		for _, f := range of.Fields.List {
			r.addField(t, f)
		}
	default:
		r.fail("%s is neither a struct nor a string with constants", name)
	}
}

func (r *reader) addField(t *typ, f *ast.Field) {
	if len(f.Names) != 1 {
		r.fail("%s has an embedded field, or two with one type", t.Name)
		return
	}
	of := f.Type
	var tag reflect.StructTag
	if f.Tag != nil {
		text, _ := strconv.Unquote(f.Tag.Value)
		tag = reflect.StructTag(text)
	}
	name, options, _ := strings.Cut(tag.Get("json"), ",")
	switch name {
	case "-":
		return
	case "":
		r.fail("%s.%s has no name on the wire", t.Name, f.Names[0])
	}
	if wire := tag.Get("wire"); wire != "" {
		var err error
		if of, err = parser.ParseExpr(wire); err != nil {
			r.fail("the tag wire of %s.%s: %w", t.Name, f.Names[0], err)
			return
		}
	}
	_, pointer := f.Type.(*ast.StarExpr)
	optional := strings.Contains(options, "omit")
	if pointer && !optional {
		r.fail("%s.%s may be null, which the protocol does not allow", t.Name, f.Names[0])
	}
	t.Fields = append(t.Fields, field{name, r.shape(of), optional, prose("", f.Doc, f.Comment), tag})
}

var basics = map[string]string{
	"string": "string", "bool": "boolean", "int": "integer", "int64": "integer", "float64": "number", "object": "object",
}

func (r *reader) shape(e ast.Expr) *shape {
	switch e := e.(type) {
	case *ast.Ident:
		if basic, ok := basics[e.Name]; ok {
			return &shape{Basic: basic}
		}
		r.need(e.Name)
		return &shape{Named: r.names[e.Name]}
	case *ast.StarExpr:
		return r.shape(e.X)
	case *ast.ArrayType:
		return &shape{List: r.shape(e.Elt)}
	case *ast.MapType:
		return &shape{Map: r.shape(e.Value)}
	case *ast.BinaryExpr:
		return &shape{Union: []*shape{r.shape(e.X), r.shape(e.Y)}}
	case *ast.SelectorExpr:
		switch from := e.X.(*ast.Ident).Name; {
		case from == "mcp":
			return &shape{MCP: e.Sel.Name}
		case from == "json" && e.Sel.Name == "RawMessage":
			return &shape{}
		}
	}
	r.fail("cannot express a type of the form %T", e)
	return &shape{}
}

var docLink = regexp.MustCompile(`\[([A-Z]\w*)\]`)

// prose returns a comment as one paragraph of Markdown, without the name that it begins with:
// "X is a thing" and "X makes things" become "A thing" and "Makes things".
func prose(name string, before, after *ast.CommentGroup) string {
	text := strings.Join(strings.Fields(before.Text()+" "+after.Text()), " ")
	text = docLink.ReplaceAllString(text, "`$1`")
	rest, ok := strings.CutPrefix(text, name+" ")
	if !ok {
		return text
	}
	rest = strings.TrimPrefix(rest, "is ")
	return strings.ToUpper(rest[:1]) + rest[1:]
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
