package editorapi

import (
	"encoding/json"
	"testing"
)

// Without a umask none is added, and an environment that is not UTF-8 does no harm.
func TestWithEnvironment(t *testing.T) {
	message := []byte(`{"method":"initialize","params":{}}`)
	got := WithEnvironment(message, Environment([]string{"a\xfe=1", "a\xff=1", "b=\xff\"\n"}), "")
	var decoded struct {
		Params struct{ InitializationOptions map[string]map[string]string }
	}
	if err := json.Unmarshal(got, &decoded); err != nil {
		t.Fatalf("%s: %v", got, err)
	}
	options := decoded.Params.InitializationOptions
	if len(options) != 1 || len(options["environment"]) != 2 || options["environment"]["b"] != "\uFFFD\"\n" || options["environment"]["a\uFFFD"] != "1" {
		t.Errorf("got %s", got)
	}
	if got := WithEnvironment(message, nil, ""); string(got) != `{"method":"initialize","params":{"initializationOptions":{"environment":{}}}}` {
		t.Errorf("with no environment: %s", got)
	}
}
