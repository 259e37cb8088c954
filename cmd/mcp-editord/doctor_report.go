package main

import (
	"bytes"
	"context"
	"fmt"
	"runtime"

	"github.com/mcp-editord/mcp-editord/internal/atomicfile"
	"github.com/mcp-editord/mcp-editord/internal/redact"
	"github.com/mcp-editord/mcp-editord/internal/safeopen"
)

const (
	reportLines = 20       // of the daemon's log
	maxLog      = 64 << 20 // bytes: the daemon keeps it much smaller
)

// report shows a text for an issue, asks, and writes it to a file; for "-" it prints the text.
func (x *checkup) report(ctx context.Context, path string, yes bool) error {
	text := redact.Text(x.reportText(), x.getenv("HOME"))
	if path == "-" {
		return write(x.stdout, text)
	}
	ok, err := x.agreed(ctx, x.terminal(), consent{yes: yes}, text+"\n",
		fmt.Sprintf("Write this to %q? Look for secrets in it first.", path))
	if !ok {
		return err
	}
	if err := atomicfile.Write(path, []byte(text)); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return x.print("the report is in "+path, map[string]string{"report": path})
}

// reportText is Markdown. What servers and files have written is between fences, and never begins a line of it.
func (x *checkup) reportText() string {
	status, log := &table{}, &table{}
	if x.status != nil {
		status.row("daemon", x.status.Version)
		for _, e := range x.status.Editors {
			status.row("editor", e.Name, e.Version)
		}
		for _, c := range x.status.Servers {
			status.row("server", c.Server.Name, string(c.Server.State), string(c.Server.Transport),
				string(c.Server.Scope), c.Server.ProtocolVersion)
		}
	}
	text, err := safeopen.Read(x.paths.LogFile(), maxLog)
	if err != nil {
		text = []byte(err.Error())
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	log.row("the last lines of the daemon's log:")
	log.note(string(bytes.Join(lines[max(0, len(lines)-1-reportLines):], nil)))

	page := fmt.Sprintf("# mcp-editord doctor\n\nprogram %s, %s, %s/%s\n",
		x.version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, section := range []struct {
		title string
		*table
	}{{"Checks", x.table()}, {"Status", status}, {"Log", log}} {
		page += fmt.Sprintf("\n## %s\n\n```text\n%s```\n", section.title, section.table)
	}
	return page
}
