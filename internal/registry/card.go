package registry

import (
	"context"
	"errors"
	"fmt"
	"net/url"
)

const cardType = "application/mcp-server-card+json"

// Card returns the card of the server at an endpoint of MCP. Nothing in it is verified, and it never has
// packages: somebody gave an address, not leave to run a program.
func (c *Client) Card(ctx context.Context, endpoint string) (card Server, err error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return Server{}, errors.New("the endpoint is not a URL")
	}
	u.RawQuery, u.Fragment = "", "" // a key in there is not for the card, which everybody may read
	u = u.JoinPath("server-card")
	body, mediaType, err := get(ctx, c.HTTP, u.String(), cardType+", application/json")
	if err == nil && (mediaType != cardType && mediaType != "application/json" ||
		decode(body, &card) != nil || !namePattern.MatchString(card.Name) || len(card.Remotes) == 0) {
		err = errors.New("answers with something else")
	}
	if err != nil {
		return Server{}, fmt.Errorf("there is no server card: %s %w", u.Redacted(), err)
	}
	card.Packages = nil
	return card, nil
}
