package config

import (
	"bytes"
	"crypto/sha256"
)

// Is reports whether text, which an editor shows, is what f was read from. Line ends and line breaks at the
// end make no difference: editors have their own ways with them, and they are no part of a definition.
func (f *File) Is(text string) bool { return f.content == contentOf([]byte(text)) }

// contentOf returns what identifies the text of a file.
func contentOf(data []byte) [sha256.Size]byte {
	data = bytes.ReplaceAll(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	return sha256.Sum256(bytes.TrimRight(data, "\n"))
}

// File returns the file of the folder with this URI as it is on the disk; one without servers when there is
// none there, and nil for a URI that is not one of its files. Do not change it.
func (w *Workspace) File(uri string) *File {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	for _, t := range w.group.files {
		switch {
		case t.source.URI != uri:
		case t.file != nil:
			return t.file
		default:
			return &File{Source: t.source}
		}
	}
	return nil
}
