package authserver

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/auth/extauth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// agree is a person who agrees, for the client of the SDK.
func agree(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	v, err := Browser{StopAt: "redirect"}.Visit(ctx, args.URL)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(v.Next)
	if err != nil {
		return nil, err
	}
	q := u.Query()
	return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
}

// The client of the SDK shares no code with these servers but that of MCP itself.
func TestClientOfTheSDK(t *testing.T) {
	const document = "https://client.example.com/client.json"
	native := &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
		ClientName: "test", RedirectURIs: []string{redirectTo}, GrantTypes: []string{grantCode, grantRefresh}, TokenEndpointAuthMethod: methodNone}}
	cimd := &auth.ClientIDMetadataDocumentConfig{URL: document}
	documents := map[string]json.RawMessage{document: json.RawMessage(`{"client_id":"` + document + `","client_name":"test","redirect_uris":["` + redirectTo + `"]}`)}
	for name, test := range map[string]struct {
		options Options
		config  auth.AuthorizationCodeHandlerConfig
	}{
		"legacy era":         {Options{Versions: []string{"2025-11-25"}}, auth.AuthorizationCodeHandlerConfig{DynamicClientRegistrationConfig: native}},
		"modern era":         {Options{Versions: []string{"2026-07-28"}}, auth.AuthorizationCodeHandlerConfig{DynamicClientRegistrationConfig: native}},
		"metadata by header": {Options{ResourceMetadataAt: []string{"other"}}, auth.AuthorizationCodeHandlerConfig{DynamicClientRegistrationConfig: native}},
		"client document":    {Options{NoRegistration: true, ClientDocuments: documents}, auth.AuthorizationCodeHandlerConfig{ClientIDMetadataDocumentConfig: cimd}},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(t, test.options)
			test.config.RedirectURL, test.config.AuthorizationCodeFetcher = redirectTo, agree
			handler, err := auth.NewAuthorizationCodeHandler(&test.config)
			if err != nil {
				t.Fatal(err)
			}
			session := connect(t, s, handler)
			use(t, s, session, "echo")
			use(t, s, session, "admin") // the client asks for more
			if n := s.Counts(); n.Codes != 2 {
				t.Errorf("codes: %d", n.Codes)
			}
		})
	}
}

func connect(t *testing.T, s *Server, handler auth.OAuthHandler) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.URL(), OAuthHandler: handler, HTTPClient: &http.Client{}}, nil)
	if err != nil {
		t.Fatalf("connecting: %v; the servers saw %+v", err, s.Record())
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

func use(t *testing.T, s *Server, session *mcp.ClientSession, tool string) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: map[string]any{"text": "hello", "id": tool}})
	if err != nil {
		t.Fatalf("%s: %v; the servers saw %+v", tool, err, s.Record())
	}
	if text, ok := result.Content[0].(*mcp.TextContent); !ok || text.Text != "hello" {
		t.Errorf("%s answered %+v", tool, result)
	}
	if n := s.Counts().Calls[tool]; n != 1 {
		t.Errorf("%s was carried out %d times", tool, n)
	}
}

func TestEnterpriseClientOfTheSDK(t *testing.T) {
	s := New(t, Options{
		Clients:    []Client{{ID: "machine", Secret: "m", Method: methodPost, GrantTypes: []string{grantBearer}}},
		IDPClients: []Client{{ID: "employee", Secret: "s", Method: methodPost, RedirectURIs: []string{redirectTo}, ResourceClientID: "machine", GrantTypes: []string{grantCode, grantExchange}}},
	})
	idp := &oauthex.ClientCredentials{ClientID: "employee", ClientSecretAuth: &oauthex.ClientSecretAuth{ClientSecret: "s"}}
	handler, err := extauth.NewEnterpriseHandler(&extauth.EnterpriseHandlerConfig{
		IdPIssuerURL: s.IDPIssuer(), IdPCredentials: idp, MCPAuthServerURL: s.Issuer(), MCPResourceURI: s.URL(), MCPScopes: []string{"mcp"},
		MCPCredentials: &oauthex.ClientCredentials{ClientID: "machine", ClientSecretAuth: &oauthex.ClientSecretAuth{ClientSecret: "m"}},
		IDTokenFetcher: func(ctx context.Context) (*oauth2.Token, error) {
			return extauth.PerformOIDCLogin(ctx, &extauth.OIDCLoginConfig{IssuerURL: s.IDPIssuer(), Credentials: idp, RedirectURL: redirectTo,
				Scopes: []string{"openid"}}, agree)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	use(t, s, connect(t, s, handler), "echo")
}
