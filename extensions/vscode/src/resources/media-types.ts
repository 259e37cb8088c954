// Names of files by their media types, so that VS Code opens a file as what it is: it goes by the
// ending of the name.

/** Returns a name for a file, made of the last part of a URI. */
export function nameOf(uri: string): string {
  const last =
    uri
      .replace(/[?#].*$/s, '')
      .split('/')
      .filter(Boolean)
      .pop() ?? '';
  return last.replace(/[^\w.-]/g, '_').slice(-100) || 'result';
}

/** Returns a name for a file, with the ending for its media type if the URI has none. */
export function named(uri: string, mime: string | undefined): string {
  const name = nameOf(uri);
  const ending = endingOf(mime);
  return ending === undefined || /\.\w{1,10}$/.test(name) ? name : `${name}.${ending}`;
}

/** The endings whose language ui/languages.ts lets through, and those of media that VS Code shows. */
const endings: { [type: string]: string } = {
  'application/javascript': 'js',
  'application/json': 'json',
  'application/jsonl': 'jsonl',
  'application/pdf': 'pdf',
  'application/sql': 'sql',
  'application/typescript': 'ts',
  'application/x-ndjson': 'jsonl',
  'application/x-sh': 'sh',
  'application/x-yaml': 'yaml',
  'application/xml': 'xml',
  'application/yaml': 'yaml',
  'application/zip': 'zip',
  'audio/flac': 'flac',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'image/bmp': 'bmp',
  'image/gif': 'gif',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/svg+xml': 'svg',
  'image/webp': 'webp',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/javascript': 'js',
  'text/markdown': 'md',
  'text/plain': 'txt',
  'text/x-c': 'c',
  'text/x-c++': 'cpp',
  'text/x-csharp': 'cs',
  'text/x-diff': 'diff',
  'text/x-go': 'go',
  'text/x-java': 'java',
  'text/x-log': 'log',
  'text/x-patch': 'diff',
  'text/x-python': 'py',
  'text/x-rust': 'rs',
  'text/x-sh': 'sh',
  'text/x-typescript': 'ts',
  'text/x-yaml': 'yaml',
  'text/xml': 'xml',
  'text/yaml': 'yaml',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
};

function endingOf(mime: string | undefined): string | undefined {
  const type = (mime ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const [, suffix] = /\+(json|xml|yaml)$/.exec(type) ?? [];
  return (Object.hasOwn(endings, type) ? endings[type] : undefined) ?? suffix;
}
