package main

import (
	"slices"
	"strings"
	"testing"
)

// The judge fails what the suite passes without having seen it done.
func TestJudge(t *testing.T) {
	t.Parallel()
	good := check{Name: "Good", Status: success}
	for _, test := range []struct {
		name         string
		checks       []check
		inapplicable []string
		want         []string // the problems
	}{
		{name: "passed", checks: []check{good, {Name: "Note", Status: "INFO"}}},
		{name: "failed", checks: []check{good, {Name: "Bad", Status: failure, ErrorMessage: "it is not there"}},
			want: []string{"FAILURE Bad: it is not there"}},
		{name: "no message", checks: []check{good, {Name: "Bad", Status: failure, Description: "it is there"}},
			want: []string{"FAILURE Bad: it is there"}},
		{name: "warning", checks: []check{good, {Name: "Late", Status: warning, ErrorMessage: "too late"}},
			want: []string{"WARNING Late: too late"}},
		{name: "skipped", checks: []check{good, {Name: "Left", Status: skipped, ErrorMessage: "not sent"}},
			want: []string{"SKIPPED Left: not sent"}},
		{name: "skipped, because it does not apply", checks: []check{good, {Name: "Left", Status: skipped}}, inapplicable: []string{"Left"}},
		{name: "failed, though it does not apply", checks: []check{good, {Name: "Left", Status: failure}}, inapplicable: []string{"Left"},
			want: []string{"FAILURE Left: "}},
		{name: "nothing checked", want: []string{"no check passed"}},
		{name: "nothing but notes", checks: []check{{Name: "Note", Status: "INFO"}}, want: []string{"no check passed"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if _, got := judge(test.checks, test.inapplicable); !slices.Equal(got, test.want) {
				t.Errorf("the problems are %q, want %q", got, test.want)
			}
		})
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	passed := finding{run: run{"a", versions[1]}, counts: map[string]int{success: 3, skipped: 1}, printed: "nobody reads this"}
	failed := finding{run: run{"a", versions[2]}, counts: map[string]int{success: 2, warning: 1}, problems: []string{"WARNING Late: too\x1b[31m late"}, printed: "the log\n"}
	other := finding{run: run{"longer", versions[2]}, problems: []string{"the suite left no results"}}
	for _, test := range []struct {
		name    string
		found   []finding
		want    string
		wantErr string // "": none
	}{
		{"none", nil, "scenario   2025-03-26   2025-11-25   2026-07-28   extensions\n", "no scenario ran"},
		{"passed", []finding{passed}, "scenario   2025-03-26   2025-11-25            2026-07-28   extensions\na          -            3 passed, 1 skipped   -            -\n\nAll 1 runs passed.\n", ""},
		{"failed", []finding{passed, failed, other}, `scenario   2025-03-26   2025-11-25            2026-07-28                   extensions
a          -            3 passed, 1 skipped   FAILED: 2 passed, 1 warned   -
longer     -            -                     FAILED: 0 passed             -

a at 2026-07-28:
  WARNING Late: too\u{1b}[31m late
it printed:
the log

longer at 2026-07-28:
  the suite left no results
`, "2 of 3 runs did not pass"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			err := report(&b, test.found)
			if got := b.String(); got != test.want {
				t.Errorf("the report is\n%s\nwant\n%s", got, test.want)
			}
			if (err == nil) != (test.wantErr == "") || err != nil && err.Error() != test.wantErr {
				t.Errorf("the error is %v, want %q", err, test.wantErr)
			}
		})
	}
}
