package main

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// sample is data with one of everything.
func sample() *Data {
	d := &Data{At: "2026-01-02T03:04:05Z", Machine: Machine{CPU: "a CPU", Cores: 2}, Daemon: "1"}
	for _, way := range []string{rawWay, directWay, socketWay, attachWay} {
		for _, w := range []Work{small, smallBusy, large} {
			d.Calls = append(d.Calls, &Series{Work: w, Way: way, P50: []number{100, 110, 120}, P95: []number{200, 210, 220}, Rate: []number{5000, 5100, 5200}})
		}
	}
	d.Calls = append(d.Calls, &Series{Work: small, Way: hubWay, P50: []number{}, P95: []number{}, Rate: []number{}, Skipped: "mcp-hub is not installed"})
	d.add(startToSocket, "ms", 9, 10, 10.5, 11)
	d.add(burstNotices, "", 1)
	d.skip(treeReady, "ms", notInVersion+"the server is told 96 roots of 500")
	return d
}

func TestDataIsReadAsItWasWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.json")
	want := sample()
	if err := want.write(path); err != nil {
		t.Fatal(err)
	}
	got, err := readData(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestNumbersKeepFourDigits(t *testing.T) {
	for n, want := range map[number]string{0: "0", 12345.678: "12346", 1234.5678: "1235", 1.23456: "1.235", 0.00123456: "0.001235", -2: "-2"} {
		got, err := json.Marshal(n)
		if err != nil || string(got) != want {
			t.Errorf("%v is written as %s (%v), want %s", float64(n), got, err, want)
		}
	}
}

func TestAmounts(t *testing.T) {
	for _, test := range []struct {
		v    float64
		unit string
		want string
	}{
		{1, "ms", "1 ms"}, {1.234, "ms", "1.23 ms"}, {12.34, "MB", "12.3 MB"}, {123.4, "kB", "123 kB"}, {1234, "µs", "1.23 ms"},
		{1500, "ms", "1.50 s"}, {12345, "", "12,345"}, {1234567, "bytes", "1,234,567 bytes"}, {0.5, "×", "0.50"},
	} {
		if got := amount(test.v, test.unit); got != test.want {
			t.Errorf("%v %s is written as %q, want %q", test.v, test.unit, got, test.want)
		}
	}
}

func TestSpread(t *testing.T) {
	if got, want := spreadOf([]number{5, 1, 3, 2, 4}), (spread{2, 3, 4}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := spreadOf([]number{1, 2}), (spread{1.25, 1.5, 1.75}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestGoalsAreJudged(t *testing.T) {
	want := map[string]string{
		"time of a call of 100 B: socket / go-sdk direct":      "met",
		"calls a second, 32 in flight: socket / go-sdk direct": "missed",
		"time of a call of 100 B: socket / mcp-hub":            "not measured: mcp-hub: mcp-hub is not installed",
		startToSocket: "missed", // the median is above 10 ms
		burstNotices:  "met",
		treeReady:     "missed: the server is told 96 roots of 500",
		catalogAnswer: "not measured: not in this run",
	}
	d := sample()
	for _, r := range d.results() {
		if verdict, ok := want[r.what]; ok && r.verdict != verdict {
			t.Errorf("%s: %q, want %q", r.what, r.verdict, verdict)
		}
		delete(want, r.what)
	}
	if len(want) > 0 {
		t.Errorf("no goals: %v", want)
	}
	if text := text(d); strings.Contains(text, catalogAnswer) {
		t.Errorf("the table has what is not in the run:\n%s", text)
	}
}

func TestDocumentIsFilled(t *testing.T) {
	d := sample()
	text, err := fill("a\n<!-- made by make bench: goals -->\noutdated\n<!-- end -->\nb\n<!-- made by make bench: machine -->\n<!-- end -->\n", d.documentPart)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"a\n<!-- made by make bench: goals -->\n| ", "\nb\n", "a CPU", "goals that could be measured are met"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in:\n%s", part, text)
		}
	}
	if strings.Contains(text, "outdated") {
		t.Errorf("the outdated part is still there:\n%s", text)
	}
	again, err := fill(text, d.documentPart)
	if err != nil || again != text {
		t.Errorf("the second time gives (%v):\n%s", err, again)
	}
	for _, bad := range []string{"<!-- made by make bench: goals -->\nno end\n", "<!-- made by make bench: unknown -->\n<!-- end -->\n"} {
		if _, err := fill(bad, d.documentPart); err == nil {
			t.Errorf("%q is filled", bad)
		}
	}
}
