package daemon

import (
	"encoding/json"
	"reflect"
	"testing"
)

// A line of the audit is what encoding/json makes of the entry, whatever is in its fields.
func TestAuditLine(t *testing.T) {
	check := func(t *testing.T, e AuditEntry) {
		t.Helper()
		want, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.appendJSON([]byte("before")); string(got) != "before"+string(want) {
			t.Errorf("got  %s\nwant before%s", got, want)
		}
	}
	check(t, AuditEntry{})
	full := AuditEntry{
		Time: "2026-11-22T15:04:05.000Z", Event: "tools/call", Server: "s", What: "w", Editor: AuditEditor{Name: "nvim", ID: 7},
		Outcome: outcomeOK, MS: 1 << 40, BytesIn: 12, BytesOut: -3, Lost: 4,
	}
	check(t, full)
	for field, value := range reflect.ValueOf(full).Fields() {
		if value.IsZero() {
			t.Errorf("%s is empty, so nobody sees whether it is written", field.Name)
		}
	}
	for c := range rune(0x100) {
		check(t, AuditEntry{Server: "a" + string(c) + "b", What: string([]byte{byte(c)})})
	}
	for _, text := range []string{"\u2028\u2029", "é€🙂", "\xff\xfe", `<script>&"\'`} {
		check(t, AuditEntry{Event: text, Server: text, What: text, Editor: AuditEditor{Name: text}, Outcome: text})
	}
}
