package editorapi

import "cmp"

// This file serves the requests editord/…, but for prefill; methods.go lists them.

// defaultLogLines and maxLogLines bound what editord/serverLog returns.
const (
	defaultLogLines = 200
	maxLogLines     = 10_000
)

func (s *session) servers(*request, Nothing) (ServersResult, error) {
	return ServersResult{s.attachment.Servers()}, nil
}

// ofServer returns what changes the server that params name.
func ofServer(ask func(Attachment, string) Change) func(Attachment, ServerParams) Change {
	return func(a Attachment, p ServerParams) Change { return ask(a, p.Server) }
}

func muteServer(a Attachment, p MuteParams) Change {
	return a.MuteServer(p.Server, p.Muted == nil || *p.Muted)
}

func (s *session) finishSignIn(_ *request, p FinishSignInParams) (Nothing, error) {
	return Nothing{}, s.attachment.FinishSignIn(p.Server, p.Response)
}

func (s *session) serverLog(r *request, p ServerLogParams) (rest func() (ServerLogResult, error)) {
	p.Lines = cmp.Or(p.Lines, new(defaultLogLines))
	if *p.Lines < 1 || *p.Lines > maxLogLines {
		err := invalidMember("lines", "is not between 1 and %d; correct it or leave it out", maxLogLines)
		return func() (ServerLogResult, error) { return ServerLogResult{}, err }
	}
	read := s.attachment.ServerLog(p, r.answered)
	return func() (ServerLogResult, error) { return read(r.ctx) }
}

func (s *session) status(*request, Nothing) (Status, error) { return s.attachment.Status(), nil }

func (s *session) catalog(r *request, p CatalogParams) (CatalogResult, error) {
	catalogs, err := s.attachment.Catalog(r.ctx, p)
	result := CatalogResult{Servers: make([]CatalogServer, len(catalogs))}
	for i, c := range catalogs {
		o := cmp.Or(c.Offer, &Offer{})
		of := CatalogServer{Server: c.Server, Earlier: c.Earlier, Tried: c.Tried, Resources: o.resources, ResourceTemplates: o.resourceTemplates}
		for _, c := range o.tools {
			of.Tools = append(of.Tools, CatalogTool{c.id, c.definition})
		}
		for _, c := range o.prompts {
			of.Prompts = append(of.Prompts, CatalogPrompt{c.id, c.definition})
		}
		result.Servers[i] = of
	}
	return result, err
}

func (s *session) approveServer(r *request, p ApproveServerParams) (Server, error) {
	if p.Decision != DecisionAllow && p.Decision != DecisionDeny {
		return Server{}, invalidMember("decision", "is neither allow nor deny; send one of them")
	}
	return s.attachment.ApproveServer(r.ctx, p.Server, p.Digest, p.Decision)
}

func (s *session) approvals(*request, Nothing) (ApprovalsResult, error) {
	approvals, err := s.attachment.Approvals()
	return ApprovalsResult{approvals}, err
}

func (s *session) revokeApproval(_ *request, p RevokeParams) (Nothing, error) {
	return Nothing{}, s.attachment.RevokeApproval(p.Digest)
}
