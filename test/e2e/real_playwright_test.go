//go:build linux || darwin

package e2e

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// chromium returns the path of the browser that shows VS Code in its tests.
func chromium(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", ".tools", "vscode", "browser"))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Skip("Chromium is not installed; run `make vscode` to install it")
	}
	return path
}

// The page of the picture, and what the picture must be.
const (
	plainPage     = `<!doctype html><title>Green</title><body style="margin:0;background:#0a6e31">`
	pictureSize   = "320x240"
	pictureWidth  = 320
	pictureHeight = 240
)

// playwright returns the definition of a server that looks at pages with the browser.
func (w *world) playwright() map[string]any {
	w.t.Helper()
	browser := chromium(w.t)
	script := installed(w.t, "the real server @playwright/mcp", "@playwright", "mcp", "cli.js")
	return object{
		"command": "node", "startTimeout": "2m", "callTimeout": "2m", "env": object{"TMPDIR": w.folder("tmp")},
		"args": []string{script, "--headless", "--isolated", "--no-sandbox", "--executable-path", browser, "--viewport-size", pictureSize, "--output-dir", w.folder("pictures")},
	}
}

// greenPage serves a page on this machine, and returns its address.
func greenPage(t *testing.T) string {
	t.Helper()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(plainPage))
	}))
	t.Cleanup(page.Close)
	return page.URL
}

// isGreenPage checks that a PNG is a picture of the page.
func isGreenPage(t *testing.T, content []byte) {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatalf("reading the picture, %d bytes: %v", len(content), err)
	}
	if got := picture.Bounds().Size(); got != image.Pt(pictureWidth, pictureHeight) {
		t.Errorf("the picture has %v, want %s", got, pictureSize)
	}
	want := color.NRGBA{R: 0x0a, G: 0x6e, B: 0x31, A: 0xff}
	if got := color.NRGBAModel.Convert(picture.At(pictureWidth/2, pictureHeight/2)); got != want {
		t.Errorf("its middle is %v, want %v", got, want)
	}
}

// A picture reaches the editor whole.
func TestPlaywrightTakesAPicture(t *testing.T) {
	w := newWorld(t)
	w.config(servers{"browser": w.playwright()}.String())
	e := w.attach(in(mcpCapabilities, w.folder("project")), "browser")
	if got := call(e, "browser", "browser_navigate", object{"url": greenPage(t)}); got.IsError || !strings.Contains(got.text(), "Green") {
		t.Fatalf("the page is %+v", got)
	}
	var got struct {
		Content []struct {
			Type, MIMEType string
			Data           []byte
		}
		IsError bool
	}
	request(e, "mcp/tools/call", toolCall("browser", "browser_take_screenshot", object{"type": "png"}), &got)
	for _, c := range got.Content {
		if c.Type == "image" && c.MIMEType == "image/png" {
			isGreenPage(t, c.Data)
			return
		}
	}
	t.Errorf("there is no picture in the result; failed: %v, items: %d", got.IsError, len(got.Content))
}
