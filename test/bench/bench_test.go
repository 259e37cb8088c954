package main

import (
	"bufio"
	"strings"
	"testing"
)

// sample is data with one of everything.
func sample() *data {
	d := &data{machine: "a machine"}
	for _, way := range []string{sdkWay, socketWay, attachWay} {
		for _, w := range []work{small, smallBusy, large} {
			d.calls = append(d.calls, &series{work: w, way: way, samples: []float64{100, 110, 120}})
		}
	}
	d.calls = append(d.calls, &series{work: small, way: hubWay, skipped: "mcp-hub is not installed"})
	for _, ms := range []float64{900, 1200, 1100} {
		d.add(treeReady, "ms", ms)
	}
	return d
}

func TestGoalsAreJudged(t *testing.T) {
	text, err := sample().part("goals")
	if err != nil {
		t.Fatal(err)
	}
	verdicts := map[string]string{}
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(line, "|\n"), "|")
		verdicts[strings.TrimSpace(cells[0])] = strings.TrimSpace(cells[4])
	}
	for goal, want := range map[string]string{
		"time of a call of 100 B: socket / go-sdk":      "met",
		"calls a second, 32 in flight: socket / go-sdk": "missed",
		"time of a call of 100 B: socket / mcp-hub":     "not measured: mcp-hub is not installed",
		treeReady:      "missed", // the median is above a second
		attachResident: "",       // not in this run
	} {
		if verdicts[goal] != want {
			t.Errorf("%s: %q, want %q; all: %v", goal, verdicts[goal], want, verdicts)
		}
	}
}

func TestAmounts(t *testing.T) {
	for want, got := range map[string]string{
		"1 ms": amount(1, "ms"), "1.23 ms": amount(1234, "µs"), "12.3 MB": amount(12.34, "MB"), "123 kB": amount(123.4, "kB"),
		"1.50 s": amount(1500, "ms"), "12346 a second": amount(12345.6, "a second"), "0.50": amount(0.5, ""), "0.05": amount(0.051, ""),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestDocumentIsFilled(t *testing.T) {
	d := sample()
	text, err := fill("a\n<!-- made by make bench: goals -->\noutdated\n<!-- end -->\nb\n<!-- made by make bench: machine -->\n<!-- end -->\n", d.part)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"a\n<!-- made by make bench: goals -->\n| ", "\nb\n", "a machine"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in:\n%s", part, text)
		}
	}
	if again, err := fill(text, d.part); err != nil || again != text || strings.Contains(text, "outdated") {
		t.Errorf("the first time gives:\n%s\nthe second (%v):\n%s", text, err, again)
	}
	for _, bad := range []string{"<!-- made by make bench: goals -->\nno end\n", "<!-- made by make bench: unknown -->\n<!-- end -->\n"} {
		if _, err := fill(bad, d.part); err == nil {
			t.Errorf("%q is filled", bad)
		}
	}
}

func TestAGlanceTellsAnswersFromOthers(t *testing.T) {
	long := strings.Repeat(`\"method\":99,`, readBuffer/8)
	for message, want := range map[string]struct{ answer, failed bool }{
		`{"jsonrpc":"2.0","id":7,"result":{"method":"x"}}`:                     {true, false},
		`{"result":{"text":"` + long + `"},"jsonrpc":"2.0","id":12}`:           {true, false},
		`{"jsonrpc":"2.0","id":9,"result":{"x":{"error":1}}}`:                  {true, false},
		`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"no"}}`:           {false, true},
		`{"error":{"code":1,"message":"no"},"jsonrpc":"2.0","id":8}`:           {false, true},
		`{"jsonrpc":"2.0","method":"notifications/x","params":{"id":5}}`:       {false, false},
		`{"jsonrpc":"2.0","id":5,"method":"workspace/configuration"}`:          {false, false},
		`{"jsonrpc":"2.0","method":"x","params":{"text":"` + long + `"}}` + "": {false, false},
	} {
		e := &editor{in: bufio.NewReaderSize(strings.NewReader(frame(message)+frame(`{"id":1}`)), readBuffer)}
		size, answer, err := e.skim()
		if answer != want.answer || (err != nil) != want.failed || !want.failed && size != len(message) {
			t.Errorf("%.60s: answer %v of %d bytes, %v", message, answer, size, err)
		}
		if want.failed {
			continue
		}
		if size, _, err := e.skim(); size != 8 || err != nil {
			t.Errorf("after %.60s: %d bytes, %v", message, size, err)
		}
	}
}
