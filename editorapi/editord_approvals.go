package editorapi

// approveServer serves editord/approveServer.
func (s *session) approveServer(r *request, p ApproveServerParams) (Server, error) {
	if p.Decision != DecisionAllow && p.Decision != DecisionDeny {
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
	return Nothing{}, s.attachment.RevokeApproval(p.Digest)
}
