package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
)

// shownDigest is how many characters of a digest are shown. revoke needs no more.
const shownDigest = 12

func (a *app) approvalsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "approvals",
		Short: "Decide which servers from workspace files may run",
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.approvalsListCommand(), a.allowCommand(), a.denyCommand(), a.revokeCommand())
	return cmd
}

func (a *app) approvalsListCommand() *cobra.Command {
	return a.looking(&cobra.Command{
		Use:   "list",
		Short: "List the decisions, and the servers of the workspace that wait for one",
	}, func(ctx context.Context, s *session, _ []string) error {
		approvals, err := editorapi.MethodApprovals.Call(ctx, s.client, editorapi.Nothing{})
		if err != nil {
			return err
		}
		if s.json {
			return s.printRaw(approvals.Raw)
		}
		servers, err := s.servers(ctx)
		if err != nil {
			return err
		}
		t := &table{}
		t.row("SERVER", "DECISION", "AT", "DIGEST", "SOURCE")
		for _, approval := range approvals.Value.Approvals {
			t.row(approval.Server, string(approval.Decision), approval.At, short(approval.Digest), fileuri.Shown(approval.Source))
		}
		for _, server := range servers {
			if server.Approval != nil && server.Error == nil { // with an error it was denied
				t.row(server.Name, "waits", "-", short(server.Digest), fileuri.Shown(server.Source))
			}
			if server.Held != nil {
				t.row(server.Name, "tools held", "-", short(server.Held.Digest), fileuri.Shown(server.Source))
			}
		}
		return t.write(s.stdout, "")
	})
}

func (a *app) allowCommand() *cobra.Command {
	c := consent{word: true}
	cmd := a.looking(a.ofServer("allow SERVER", "Show exactly what a server from a workspace file runs, or which of its tools have changed, and allow it"), func(ctx context.Context, s *session, args []string) error {
		server, err := s.server(ctx, args[0])
		if err != nil {
			return err
		}
		asked, said := server.Approval, "may run now"
		if asked == nil {
			asked, said = server.Held, "gives its changed tools to agents now"
		}
		if asked == nil {
			return s.printServer(server, "needs no approval")
		}
		ok, err := s.agreed(ctx, s.terminal, c, questionText(asked.Text)+"\n", "")
		if !ok {
			return err
		}
		// This digest belongs to what was shown: the daemon refuses it if the file has changed since.
		return s.decide(ctx, server.Name, asked.Digest, editorapi.DecisionAllow, said)
	})
	cmd.Flags().BoolVar(&c.yes, "yes", false, "allow without asking")
	return cmd
}

// questionText returns the whole question. The most important parts, the program and the question
// itself, come last, so that a terminal keeps them in sight.
func questionText(t editorapi.ApprovalText) string {
	text := t.Whole + "\n\n" + t.Title
	if t.Before != "" {
		text = "You decided on this before:\n\n" + t.Before + "\n\nNow:\n\n" + text
	}
	return text
}

func (a *app) denyCommand() *cobra.Command {
	return a.looking(a.ofServer("deny SERVER", "Deny a server from a workspace file as it is defined now, and stop it if it runs; or deny agents its changed tools"), func(ctx context.Context, s *session, args []string) error {
		server, err := s.server(ctx, args[0])
		if err != nil {
			return err
		}
		if server.Approval == nil && server.Held != nil {
			return s.decide(ctx, server.Name, server.Held.Digest, editorapi.DecisionDeny, "keeps its changed tools from agents")
		}
		return s.decide(ctx, server.Name, server.Digest, editorapi.DecisionDeny, "may not run")
	})
}

func (a *app) revokeCommand() *cobra.Command {
	return a.looking(a.ofServer("revoke SERVER|DIGEST", "Forget the decisions about a server, so that you are asked again, and stop it if it runs"), func(ctx context.Context, s *session, args []string) error {
		digests, err := s.decided(ctx, args[0])
		if err != nil {
			return err
		}
		for _, digest := range digests {
			p := editorapi.RevokeParams{Digest: digest}
			if _, err := editorapi.MethodRevokeApproval.Call(ctx, s.client, p); err != nil {
				return err
			}
		}
		return s.print(fmt.Sprintf("decisions forgotten: %d", len(digests)), map[string][]string{"revoked": digests})
	})
}

// decide tells the daemon the decision.
func (s *session) decide(ctx context.Context, name, digest string, decision editorapi.Decision, said string) error {
	p := editorapi.ApproveServerParams{Server: name, Digest: digest, Decision: decision}
	answer, err := editorapi.MethodApproveServer.Call(ctx, s.client, p)
	if err != nil {
		return err
	}
	return s.printServer(answer.Value, said)
}

func (s *session) printServer(server editorapi.Server, said string) error {
	return s.print(fmt.Sprintf("server %q %s", server.Name, said), server)
}

// decided returns the digests of the decisions that what names: a digest or its beginning, or a server. If this workspace
// has a server of that name, it is the one.
func (s *session) decided(ctx context.Context, what string) (digests []string, err error) {
	approvals, err := editorapi.MethodApprovals.Call(ctx, s.client, editorapi.Nothing{})
	if err != nil {
		return nil, err
	}
	servers, err := s.servers(ctx)
	if err != nil {
		return nil, err
	}
	for _, a := range approvals.Value.Approvals {
		elsewhere := slices.ContainsFunc(servers, func(server editorapi.Server) bool {
			return server.Name == what && server.Source != a.Source
		})
		if a.Server == what && !elsewhere || len(what) >= shownDigest && strings.HasPrefix(a.Digest, what) {
			digests = append(digests, a.Digest)
		}
	}
	if len(digests) == 0 {
		err = notFound("there is no decision about %q; to list the decisions: mcp-editord approvals list", what)
	}
	return digests, err
}

func short(digest string) string { return digest[:min(shownDigest, len(digest))] }
