package editorapi

import "encoding/json"

// catalog serves editord/catalog: a [CatalogResult]. What servers offer is encoded already and is
// copied here.
func (s *session) catalog(r *request, p CatalogParams) (json.RawMessage, error) {
	catalogs, err := s.attachment.Catalog(r.ctx, p)
	if err != nil {
		return nil, err
	}
	return encodeCatalog(catalogs), nil
}

func encodeCatalog(catalogs []ServerCatalog) json.RawMessage {
	size := len(`{"servers":[]}`)
	offers := make([]*Offer, len(catalogs))
	views := make([]json.RawMessage, len(catalogs))
	for i, c := range catalogs {
		if offers[i] = c.Offer; c.Offer == nil {
			offers[i] = &Offer{}
		}
		views[i] = c.Server.json()
		size += len(`{"server":,"earlier":true,"tried":true},`) + len(views[i]) + offers[i].encodedSize()
	}
	b := append(make([]byte, 0, size), `{"servers":[`...)
	for i := range catalogs {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, `{"server":`...), views[i]...)
		if catalogs[i].Earlier {
			b = append(b, `,"earlier":true`...)
		}
		if catalogs[i].Tried {
			b = append(b, `,"tried":true`...)
		}
		b = append(offers[i].appendTo(b, offers[:i]), '}')
	}
	return append(b, "]}"...)
}
