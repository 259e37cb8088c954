package toolschema

import "testing"

func TestConvert(t *testing.T) {
	for _, test := range []struct {
		name  string
		types []string
		text  string
		want  string // "" when it cannot be
	}{
		{"no type", nil, "5", `"5"`},
		{"string", []string{"string"}, "5", `"5"`},
		{"string comes first", []string{"integer", "string"}, "5", `"5"`},
		{"integer", []string{"integer"}, " 5 ", `5`},
		{"integer over 2^53", []string{"integer"}, "9007199254740993", `9007199254740993`},
		{"integer from a fraction", []string{"integer"}, "5.5", ""},
		{"number", []string{"number"}, "5.5", `5.5`},
		{"number from an integer", []string{"number"}, "5", `5`},
		{"number that is not JSON", []string{"number"}, "0x10", ""},
		{"not a number", []string{"number"}, "NaN", ""},
		{"boolean", []string{"boolean"}, "false", `false`},
		{"boolean from a word", []string{"boolean"}, "yes", ""},
		{"array", []string{"array"}, `["a"]`, `["a"]`},
		{"array from a text", []string{"array"}, "a", ""},
		{"object", []string{"object"}, `{"a":1}`, `{"a":1}`},
		{"empty text for an integer", []string{"integer"}, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := Property{Types: test.types}.Convert(test.text)
			if ok != (test.want != "") || string(got) != test.want {
				t.Errorf("got %s (%v), want %s", got, ok, test.want)
			}
		})
	}
}
