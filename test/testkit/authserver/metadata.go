package authserver

import (
	"net/http"
	"slices"
	"strings"
)

// scopesKnown are the scopes that an authorization server gives.
var scopesKnown = []string{"mcp", "admin", "offline_access"}

// metadataPaths returns the paths at which the metadata is.
func (a *authority) metadataPaths() []string {
	const oauth, oidc = "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"
	at := a.s.options.MetadataAt
	if a.name == "idp" {
		at = []MetadataLayout{OIDCAppend}
	}
	// "If the issuer identifier value contains a path component, any terminating "/" MUST be
	// removed before inserting" (RFC 8414, section 3.1), and before appending (OpenID Connect
	// Discovery, section 4.1).
	path := strings.TrimSuffix(a.path, "/")
	var paths []string
	for _, layout := range at {
		switch layout {
		case OAuthInsert:
			paths = append(paths, oauth+path)
		case OIDCInsert:
			paths = append(paths, oidc+path)
		case OIDCAppend:
			paths = append(paths, path+oidc)
		case OAuthAppend:
			paths = append(paths, path+oauth)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// metadata answers with the metadata of the authorization server (RFC 8414).
func (a *authority) metadata(w http.ResponseWriter, _ *http.Request) {
	knobs := a.s.Knobs()
	base := a.base()
	m := map[string]any{
		"issuer":                                           a.issuer(),
		"authorization_endpoint":                           base + "/authorize",
		"token_endpoint":                                   base + "/token",
		"revocation_endpoint":                              base + "/revoke",
		"jwks_uri":                                         base + "/jwks",
		"scopes_supported":                                 scopesKnown,
		"response_types_supported":                         []string{"code"},
		"response_modes_supported":                         []string{"query"},
		"grant_types_supported":                            []string{grantCode, grantRefresh, grantClient},
		"code_challenge_methods_supported":                 []string{"S256"},
		"token_endpoint_auth_methods_supported":            []string{methodNone, methodBasic, methodPost, methodKey},
		"token_endpoint_auth_signing_alg_values_supported": signingAlgorithms,
		"subject_types_supported":                          []string{"public"},
		"id_token_signing_alg_values_supported":            []string{"ES256"},
	}
	if a.s.idp != nil && a.name == "issuer" {
		m["grant_types_supported"] = []string{grantCode, grantRefresh, grantClient, grantBearer}
		m["authorization_grant_profiles_supported"] = []string{profileIDJAG}
	}
	if knobs.Iss == "" || knobs.Iss == "wrong" || knobs.Iss == "missing" {
		m["authorization_response_iss_parameter_supported"] = true
	}
	if a.name == "idp" {
		m["scopes_supported"] = []string{"openid", "offline_access"}
		m["grant_types_supported"] = []string{grantCode, grantRefresh, grantExchange}
		reply(w, http.StatusOK, a.s.overlay(m, knobs.IDPMetadata))
		return
	}
	if !a.s.options.NoRegistration {
		m["registration_endpoint"] = base + "/register"
	}
	if len(a.s.options.ClientDocuments) > 0 {
		m["client_id_metadata_document_supported"] = true
	}
	reply(w, http.StatusOK, a.s.overlay(m, knobs.Metadata))
}

// jwks answers with the keys of the authorization server.
func (a *authority) jwks(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, map[string]any{"keys": []any{publicJWK(&a.key.PublicKey)}})
}
