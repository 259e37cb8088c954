package main

import (
	"slices"
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
