package editorapi

// approveServer serves editord/approveServer.
func (s *session) approveServer(r *request, p ApproveServerParams) (Server, error) {
	if err := requireServer(p.Server); err != nil {
		return Server{}, err
	}
	switch {
	case p.Digest == "":
		return Server{}, missingDigest()
	case p.Decision != DecisionAllow && p.Decision != DecisionDeny:
		return Server{}, invalidMember("decision", "is neither allow nor deny; send one of them")
	}
	return s.attachment.ApproveServer(r.ctx, p.Server, p.Digest, p.Decision)
}

// approvals serves editord/approvals.
func (s *session) approvals(*request, Nothing) (ApprovalsResult, error) {
	approvals, err := s.attachment.Approvals()
	return ApprovalsResult{approvals}, err
}

// revokeApproval serves editord/revokeApproval.
func (s *session) revokeApproval(_ *request, p RevokeParams) (Nothing, error) {
	if p.Digest == "" {
		return Nothing{}, missingDigest()
	}
	return Nothing{}, s.attachment.RevokeApproval(p.Digest)
}

func missingDigest() error {
	return invalidMember("digest", "is missing; send the digest of the definition that was looked at")
}
