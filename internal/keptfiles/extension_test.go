package keptfiles

import "testing"

func TestExtension(t *testing.T) {
	for mimeType, want := range map[string]string{
		"image/png": ".png", " Text/CSV ; charset=utf-8": ".csv", "application/json;x": ".json",
		"": "", "image/svg+xml": "", "text/html": "", "application/x-sh": "", "image/png/../../x": "",
	} {
		if got := Extension(mimeType); got != want {
			t.Errorf("the extension for %q is %q, want %q", mimeType, got, want)
		}
	}
}
