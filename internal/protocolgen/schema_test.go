package main

import (
	"strings"
	"testing"
)

const format = "package p\n" + `
// File is a file.
//
//protocolgen:type
type File struct {
	// Its things, by name.
	Things map[string]Thing ` + "`json:\"things,omitempty\"`" + `
	// A color.
	Color Color ` + "`json:\"color\" default:\"red\"`" + `
	// A port, or none.
	Port any ` + "`json:\"port,omitempty\" wire:\"int | string\" example:\"[1]\" minimum:\"3\"`" + `
	// A word.
	Word string ` + "`json:\"word,omitempty\" enum:\"a,b\"`" + `
}

// Thing is a thing.
type Thing struct{}

// Color is a color.
type Color string

const (
	Red Color = "red" // like <blood>
)
`

func TestSchema(t *testing.T) {
	p, err := parse(map[string]string{"p.go": format})
	if err != nil {
		t.Fatal(err)
	}
	got, err := schema(p)
	if err != nil {
		t.Fatal(err)
	}
	const want = `"description":"A file.","type":"object","properties":{` +
		`"things":{"description":"Its things, by name.","type":"object","additionalProperties":{"$ref":"#/definitions/Thing"}},` +
		`"color":{"description":"A color.","allOf":[{"$ref":"#/definitions/Color"}],"default":"red"},` +
		`"port":{"description":"A port, or none.","anyOf":[{"type":"integer"},{"type":"string"}],"minimum":3,"examples":[[1]]},` +
		`"word":{"description":"A word.","type":"string","enum":["a","b"]}},` +
		`"required":["color"],"additionalProperties":false,"definitions":{` +
		`"Thing":{"description":"A thing.","type":"object","properties":{},"additionalProperties":false},` +
		`"Color":{"description":"A color.","type":"string","enum":["red"],"enumDescriptions":["like <blood>"]}}}`
	if compact := strings.NewReplacer("\n", "", "  ", "", `": `, `":`).Replace(got); !strings.HasSuffix(compact, want) {
		t.Errorf("got %s\nwant it to end in %s", compact, want)
	}
}

func TestSchemaNeedsARootAndComments(t *testing.T) {
	for name, source := range map[string]string{
		"no root":    strings.Replace(format, "//protocolgen:type", "//", 1),
		"no comment": strings.Replace(format, "// A word.", "", 1),
	} {
		p, err := parse(map[string]string{"p.go": source})
		if err == nil {
			_, err = schema(p)
		}
		if err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}
