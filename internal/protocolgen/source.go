package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"regexp"
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

// The kinds of methods.
const (
	requestToDaemon      = "requests to the daemon"
	notificationToDaemon = "notifications to the daemon"
	requestToEditor      = "requests to the editor"
	notificationToEditor = "notifications to the editor"
)

// declares has the functions of editorapi that declare a method of a kind. Their type arguments are its
// params and its result; the result of some of them is always the same.
var declares = map[string]struct{ kind, result string }{
	"serves":  {requestToDaemon, ""},
	"notes":   {requestToDaemon, ""},
	"changes": {requestToDaemon, "Server"},
	"hears":   {notificationToDaemon, ""},
	"asks":    {requestToEditor, ""},
	"tells":   {notificationToEditor, ""},
}

// A typ is a struct, or a string with the values that it may have.
type typ struct {
	Name   string
	Doc    string
	Fields []field
	Values []value // of a string
	Marked bool    // by a line //protocolgen:type

	declared ast.Expr
	made     bool // it is one of those to make
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
	declarations []ast.Decl
	constants    types.Info
	types        map[string]*typ // by Go's name
	marked       []string        // types to make in any case, by Go's name
	problem      error
	p            *proto
}

// parse reads a package without its tests.
func parse(dir string) (*proto, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	r := &reader{types: map[string]*typ{}, p: &proto{Codes: map[string]string{}}}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
		r.declarations = append(r.declarations, file.Decls...)
	}
	if files == nil {
		return nil, fmt.Errorf("%s has no Go files; run this at the root of the repository", dir)
	}
	// Other packages are not read, which is an error for each of them: only the constants of this one count.
	r.constants.Types = map[ast.Expr]types.TypeAndValue{}
	lenient := types.Config{Error: func(error) {}}
	_, _ = lenient.Check(dir, fset, files, &r.constants)

	r.each(token.TYPE, r.readType)
	r.each(token.CONST, r.readValue)
	r.each(token.VAR, r.readMethod)
	for _, name := range r.marked {
		r.need(name)
	}
	r.readCodes()
	return r.p, r.problem
}

// each calls read for all declarations of a kind.
func (r *reader) each(kind token.Token, read func(*ast.GenDecl, ast.Spec)) {
	for _, declaration := range r.declarations {
		if d, ok := declaration.(*ast.GenDecl); ok && d.Tok == kind {
			for _, spec := range d.Specs {
				read(d, spec)
			}
		}
	}
}

func (r *reader) fail(format string, args ...any) {
	if r.problem == nil {
		r.problem = fmt.Errorf(format, args...)
	}
}

func (r *reader) readType(d *ast.GenDecl, s ast.Spec) {
	spec := s.(*ast.TypeSpec)
	name := spec.Name.Name
	t := &typ{Name: name, Doc: prose(name, d.Doc, nil), declared: spec.Type}
	r.types[name] = t
	if d.Doc == nil {
		return
	}
	for _, line := range d.Doc.List {
		if other, ok := strings.CutPrefix(line.Text, "//protocolgen:type"); ok {
			r.marked = append(r.marked, name)
			t.Marked, t.Name = true, cmp.Or(strings.TrimSpace(other), name)
		}
	}
}

// text returns the text of a constant.
func (r *reader) text(e ast.Expr) (string, bool) {
	v := r.constants.Types[e].Value
	if v == nil || v.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(v), true
}

// readValue reads a constant that is one of the values of a string.
func (r *reader) readValue(_ *ast.GenDecl, s ast.Spec) {
	spec := s.(*ast.ValueSpec)
	of, ok := spec.Type.(*ast.Ident)
	if !ok || len(spec.Values) != 1 || r.types[of.Name] == nil {
		return
	}
	if text, ok := r.text(spec.Values[0]); ok {
		t := r.types[of.Name]
		t.Values = append(t.Values, value{text, prose("", spec.Doc, spec.Comment)})
	}
}

// readMethod reads a declaration `name = declare[Types]("method", …)`.
func (r *reader) readMethod(_ *ast.GenDecl, s ast.Spec) {
	spec := s.(*ast.ValueSpec)
	if len(spec.Values) != 1 {
		return
	}
	call, ok := spec.Values[0].(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return
	}
	var arguments []ast.Expr
	function := call.Fun
	switch f := function.(type) {
	case *ast.IndexExpr:
		function, arguments = f.X, []ast.Expr{f.Index}
	case *ast.IndexListExpr:
		function, arguments = f.X, f.Indices
	}
	declared, ok := function.(*ast.Ident)
	if !ok {
		return
	}
	declare, known := declares[declared.Name]
	name, isConstant := r.text(call.Args[0])
	switch {
	case !known && arguments == nil:
		return
	case !known:
		r.fail("protocolgen does not know what %s declares", declared.Name)
		return
	case !isConstant:
		r.fail("the name of the method %q is not a constant", spec.Names[0].Name)
	case arguments == nil:
		r.fail("the declaration of the method %q does not say its types", name)
		return
	}
	m := method{Name: name, Kind: declare.kind, Doc: prose(spec.Names[0].Name, spec.Doc, nil)}
	if m.Doc == "" {
		r.fail("the method %q has no comment", name)
	}
	m.Params = r.shape(arguments[0])
	switch {
	case len(arguments) > 1:
		m.Result = r.shape(arguments[1])
	case declare.result != "":
		m.Result = r.shape(ast.NewIdent(declare.result))
	}
	r.p.Methods = append(r.p.Methods, m)
}

// readCodes reads the code of each kind of error from the switch in the method Code.
func (r *reader) readCodes() {
	for _, declaration := range r.declarations {
		f, ok := declaration.(*ast.FuncDecl)
		if !ok || f.Recv == nil || f.Name.Name != "Code" {
			continue
		}
		for clause := range ast.Preorder(f) {
			clause, ok := clause.(*ast.CaseClause)
			if !ok {
				continue
			}
			code := types.ExprString(clause.Body[0].(*ast.ReturnStmt).Results[0])
			if clause.List == nil {
				r.p.Codes[""] = code
			}
			for _, kind := range clause.List {
				text, _ := r.text(kind)
				r.p.Codes[text] = code
			}
		}
	}
}

// need adds a type, and the types of its fields, to those to make.
func (r *reader) need(name string) {
	t := r.types[name]
	switch {
	case t == nil:
		r.fail("there is no type %s", name)
		return
	case t.made:
		return
	}
	t.made = true
	r.p.Types = append(r.p.Types, t)
	if of, ok := t.declared.(*ast.StructType); ok {
		for _, f := range of.Fields.List {
			r.addField(t, f)
		}
	} else if t.Values == nil {
		r.fail("%s is neither a struct nor a string with constants", name)
	}
}

func (r *reader) addField(t *typ, f *ast.Field) {
	if embedded, ok := f.Type.(*ast.Ident); ok && f.Names == nil && r.types[embedded.Name] != nil {
		for _, inner := range r.types[embedded.Name].declared.(*ast.StructType).Fields.List {
			r.addField(t, inner)
		}
		return
	}
	if len(f.Names) != 1 {
		r.fail("%s has an embedded field of another package, or two with one type", t.Name)
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
		if r.need(e.Name); r.types[e.Name] != nil {
			return &shape{Named: r.types[e.Name].Name}
		}
	case *ast.StarExpr:
		return r.shape(e.X)
	case *ast.ArrayType:
		return &shape{List: r.shape(e.Elt)}
	case *ast.MapType:
		return &shape{Map: r.shape(e.Value)}
	case *ast.BinaryExpr:
		return &shape{Union: []*shape{r.shape(e.X), r.shape(e.Y)}}
	case *ast.SelectorExpr:
		switch types.ExprString(e) {
		case "json.RawMessage":
			return &shape{}
		case "mcp." + e.Sel.Name:
			return &shape{MCP: e.Sel.Name}
		}
	}
	r.fail("cannot express the type %s", types.ExprString(e))
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
