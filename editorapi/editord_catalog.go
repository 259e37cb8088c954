package editorapi

import "cmp"

// catalog serves editord/catalog.
func (s *session) catalog(r *request, p CatalogParams) (CatalogResult, error) {
	catalogs, err := s.attachment.Catalog(r.ctx, p)
	return catalogOf(catalogs), err
}

// catalogOf returns what servers offer.
func catalogOf(catalogs []ServerCatalog) CatalogResult {
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
	return result
}
