package editorapi

import (
	"encoding/json"
)

// catalogTool, catalogPrompt and catalogServer are the result of editord/catalog
// (editor protocol, section 4).
type catalogTool struct {
	Command string          `json:"command"`
	Tool    json.RawMessage `json:"tool"`
}

type catalogPrompt struct {
	Command string          `json:"command"`
	Prompt  json.RawMessage `json:"prompt"`
}

type catalogServer struct {
	Server            Server            `json:"server"`
	Tools             []catalogTool     `json:"tools"`
	Prompts           []catalogPrompt   `json:"prompts"`
	Resources         []json.RawMessage `json:"resources"`
	ResourceTemplates []json.RawMessage `json:"resourceTemplates"`
}

// catalog serves editord/catalog.
func (s *session) catalog(r *request) (any, error) {
	var p serverParams
	if err := decode(r.params, &p, ""); err != nil {
		return nil, err
	}
	catalogs, err := s.attachment.Catalog(r.ctx, p.Server)
	if err != nil {
		return nil, err
	}
	table := newCommandTable(catalogs)
	servers := []catalogServer{}
	for _, c := range catalogs {
		entry := catalogServer{Server: c.Server, Resources: c.Resources, ResourceTemplates: c.ResourceTemplates}
		for _, tool := range c.Tools {
			if command := table.find(keyOf(kindTool, c.Server.Name, tool)); command != nil {
				entry.Tools = append(entry.Tools, catalogTool{command.id, tool})
			}
		}
		for _, prompt := range c.Prompts {
			if command := table.find(keyOf(kindPrompt, c.Server.Name, prompt)); command != nil {
				entry.Prompts = append(entry.Prompts, catalogPrompt{command.id, prompt})
			}
		}
		servers = append(servers, entry)
	}
	return struct {
		Servers []catalogServer `json:"servers"`
	}{servers}, nil
}
