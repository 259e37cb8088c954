package keptfiles

import "strings"

// Extension returns the extension for data of a MIME type, with its dot; "" for one that is not known. The server chooses
// the type, so none of the extensions is one that runs or is shown as a page: no svg, no html.
func Extension(mimeType string) string {
	base, _, _ := strings.Cut(mimeType, ";")
	return extensions[strings.ToLower(strings.TrimSpace(base))]
}

var extensions = map[string]string{
	"application/gzip": ".gz", "application/json": ".json", "application/pdf": ".pdf", "application/x-tar": ".tar",
	"application/xml": ".xml", "application/zip": ".zip", "audio/aac": ".aac", "audio/flac": ".flac", "audio/mp3": ".mp3",
	"audio/mp4": ".m4a", "audio/mpeg": ".mp3", "audio/ogg": ".ogg", "audio/wav": ".wav", "audio/webm": ".weba", "audio/x-wav": ".wav",
	"image/avif": ".avif", "image/bmp": ".bmp", "image/gif": ".gif", "image/jpeg": ".jpg", "image/jpg": ".jpg", "image/png": ".png",
	"image/tiff": ".tiff", "image/webp": ".webp", "text/csv": ".csv", "text/markdown": ".md", "text/plain": ".txt",
	"text/xml": ".xml", "video/mp4": ".mp4", "video/webm": ".webm",
}
