package authserver

import "net/http"

// scopesKnown are the scopes that an authorization server gives.
var scopesKnown = []string{"mcp", "admin", "offline_access"}

// metadata answers with the metadata of the authorization server (RFC 8414, and OpenID Connect
// Discovery).
func (a *authority) metadata(w http.ResponseWriter, _ *http.Request) {
	knobs := a.s.current()
	base := a.issuer()
	m := map[string]any{
		"issuer":                                           a.issuer(),
		"authorization_endpoint":                           base + "/authorize",
		"token_endpoint":                                   base + "/token",
		"revocation_endpoint":                              base + "/revoke",
		"scopes_supported":                                 scopesKnown,
		"response_types_supported":                         []string{"code"},
		"response_modes_supported":                         []string{"query"},
		"grant_types_supported":                            []string{grantCode, grantRefresh, grantClient},
		"code_challenge_methods_supported":                 []string{"S256"},
		"token_endpoint_auth_methods_supported":            []string{methodNone, methodBasic, methodPost, methodKey},
		"token_endpoint_auth_signing_alg_values_supported": []string{"ES256"},
		"authorization_response_iss_parameter_supported":   true,
	}
	if a.name == "idp" {
		m["scopes_supported"] = scopesOfIDP
		m["grant_types_supported"] = []string{grantCode, grantRefresh, grantExchange}
		reply(w, http.StatusOK, a.s.overlay(m, knobs.IDPMetadata))
		return
	}
	if a.s.idp != nil && a.name == "issuer" {
		m["grant_types_supported"] = []string{grantCode, grantRefresh, grantClient, grantBearer}
		m["authorization_grant_profiles_supported"] = []string{profileIDJAG}
	}
	if !a.s.options.NoRegistration {
		m["registration_endpoint"] = base + "/register"
	}
	if len(a.s.options.ClientDocuments) > 0 {
		m["client_id_metadata_document_supported"] = true
	}
	reply(w, http.StatusOK, a.s.overlay(m, knobs.Metadata))
}
