package editorapi

// approveServer serves editord/approveServer.
func (s *session) approveServer(r *request) (any, error) {
	var p struct {
		serverParams
		Digest   string   `json:"digest"`
		Decision Decision `json:"decision"`
	}
	if err := decode(r.params, &p, ""); err != nil {
		return nil, err
	}
	if err := requireServer(p.Server); err != nil {
		return nil, err
	}
	switch {
	case p.Digest == "":
		return nil, missingDigest()
	case p.Decision != DecisionAllow && p.Decision != DecisionDeny:
		return nil, errorf(KindInvalidParams, "decision", "the member decision is neither allow nor deny; send one of them")
	}
	return s.attachment.ApproveServer(r.ctx, p.Server, p.Digest, p.Decision)
}

// approvals serves editord/approvals.
func (s *session) approvals(*request) (any, error) {
	approvals, err := s.attachment.Approvals()
	if err != nil {
		return nil, err
	}
	return struct {
		Approvals []Approval `json:"approvals"`
	}{approvals}, nil
}

// revokeApproval serves editord/revokeApproval.
func (s *session) revokeApproval(r *request) (any, error) {
	var p struct {
		Digest string `json:"digest"`
	}
	if err := decode(r.params, &p, ""); err != nil {
		return nil, err
	}
	if p.Digest == "" {
		return nil, missingDigest()
	}
	return struct{}{}, s.attachment.RevokeApproval(p.Digest)
}

func missingDigest() error {
	return errorf(KindInvalidParams, "digest", "the member digest is missing; send the one of the definition that was looked at")
}
