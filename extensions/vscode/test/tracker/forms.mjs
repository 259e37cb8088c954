// Tools and a prompt whose arguments are of every kind that a form treats in its own way.

const object = (properties, required = Object.keys(properties)) => ({ type: 'object', properties, required });
const text = (value) => ({ type: 'text', text: value });
const said = (given) => ({ content: [text(`sent ${JSON.stringify(given)}`)] });

export const formTools = [
  {
    name: 'set_nothing',
    title: 'Set Nothing',
    annotations: { readOnlyHint: true },
    inputSchema: object({
      note: { type: ['string', 'null'] },
      word: { type: ['string', 'null'] },
      count: { type: ['integer', 'null'] },
      level: { anyOf: [{ enum: ['low', 'high'] }, { type: 'null' }] },
      range: { anyOf: [object({ from: { type: 'integer' } }), { type: 'null' }] },
    }),
    call: said,
  },
  {
    name: 'count_words',
    title: 'Count Words',
    annotations: { readOnlyHint: true },
    inputSchema: object({ query: { type: 'string' }, passage: { type: 'string' } }, ['passage']),
    call: ({ passage }) => ({
      content: [text(`**${passage}** has words.`)],
      structuredContent: { words: passage.split(' ').length },
    }),
  },
  {
    name: 'plan_trip',
    title: 'Plan Trip',
    annotations: { destructiveHint: true },
    inputSchema: object({
      day: { type: 'string', format: 'date' },
      people: { type: 'integer', minimum: 1, maximum: 8 },
    }),
    call: said,
  },
  {
    name: 'show_media',
    title: 'Show Media',
    annotations: { readOnlyHint: true },
    inputSchema: object({}),
    call: () => ({
      content: [
        text('## A picture and a sound'),
        { type: 'image', mimeType: 'image/svg+xml', data: Buffer.from(circle).toString('base64') },
        { type: 'audio', mimeType: 'audio/wav', data: silence() },
      ],
    }),
  },
];

export const formPrompts = [
  { name: 'explain_code', title: 'Explain Code', arguments: [{ name: 'code', required: true }, { name: 'focus' }] },
];

/** A picture without a ground of its own. */
const circle =
  '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="60"><circle cx="60" cy="30" r="25" fill="none" stroke="#2563eb" stroke-width="4"/></svg>';

/** Returns a tenth of a second of silence. */
function silence() {
  const samples = 800;
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples, 40);
  return Buffer.concat([head, Buffer.alloc(samples, 128)]).toString('base64');
}
