package editorapi

// catalog serves editord/catalog.
func (s *session) catalog(r *request, p CatalogParams) (CatalogResult, error) {
	catalogs, err := s.attachment.Catalog(r.ctx, p.Server)
	if err != nil {
		return CatalogResult{}, err
	}
	table := newCommandTable(catalogs)
	servers := []CatalogServer{}
	for _, c := range catalogs {
		entry := CatalogServer{Server: c.Server, Resources: c.Resources, ResourceTemplates: c.ResourceTemplates}
		for _, tool := range c.Tools {
			if command := table.find(keyOf(kindTool, c.Server.Name, tool)); command != nil {
				entry.Tools = append(entry.Tools, CatalogTool{command.id, tool})
			}
		}
		for _, prompt := range c.Prompts {
			if command := table.find(keyOf(kindPrompt, c.Server.Name, prompt)); command != nil {
				entry.Prompts = append(entry.Prompts, CatalogPrompt{command.id, prompt})
			}
		}
		servers = append(servers, entry)
	}
	return CatalogResult{servers}, nil
}
