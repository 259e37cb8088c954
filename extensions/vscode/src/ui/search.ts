// Finds what a person looks for among thousands of tools. VS Code's own search takes letters that are
// strewn over a description for a match, and finds no words in another order.

/** What one item can be found by, as its server wrote it. */
export interface Findable {
  name: string;
  title?: string | undefined;
  server?: string | undefined;
  /** Anything else: a description, an address. */
  text?: string | undefined;
}

/** An item that is ready to be searched: everything in lower case. */
interface Prepared {
  /** The name as it is, with one space between its words, and without any. */
  name: string;
  spaced: string;
  joined: string;
  words: string[];
  title: string;
  server: string;
  text: string;
}

/** How far a word is by where it was found: less is nearer. */
const distance = { word: 1, wordBegins: 2, inName: 4, title: 16, server: 64, text: 256 };

/**
 * Returns a search. It takes what is typed, and returns the indices of the items that have each word
 * of it, in any order, the nearest first: the exact name, a name that begins so, names with these
 * words, titles, servers, then other texts. What is equally near stays in order. A text without a word
 * finds everything.
 */
export function searchIn(items: readonly Findable[]): (typed: string) => number[] {
  const prepared = items.map(prepare);
  return (typed) => {
    const whole = typed.trim().toLowerCase();
    const words = wordsOf(whole);
    const wanted = words.length > 0 ? words : whole === '' ? [] : [whole];
    const spaced = words.join(' ');
    const found: { index: number; far: number }[] = [];
    prepared.forEach((item, index) => {
      const far = farOf(item, whole, spaced, wanted);
      if (far !== undefined) {
        found.push({ index, far });
      }
    });
    return found.sort((a, b) => a.far - b.far || a.index - b.index).map(({ index }) => index);
  };
}

function prepare(item: Findable): Prepared {
  const words = wordsOf(item.name.replace(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1 ')).map((w) => w.toLowerCase());
  return {
    name: item.name.toLowerCase(),
    spaced: words.join(' '),
    joined: words.join(''),
    words,
    title: (item.title ?? '').toLowerCase(),
    server: (item.server ?? '').toLowerCase(),
    text: (item.text ?? '').toLowerCase(),
  };
}

function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
}

/** Returns how far an item is, undefined when it lacks a word. */
function farOf(item: Prepared, whole: string, spaced: string, words: string[]): number | undefined {
  let far = 0;
  for (const word of words) {
    const one = farOfWord(item, word);
    if (one === undefined) {
      return undefined;
    }
    far += one;
  }
  if (words.length === 0 || item.name === whole) {
    return 0;
  }
  if (spaced !== '' && item.spaced === spaced) {
    return 0.25;
  }
  return item.name.startsWith(whole) || (spaced !== '' && item.spaced.startsWith(spaced)) ? 0.5 : far;
}

function farOfWord(item: Prepared, word: string): number | undefined {
  if (item.words.includes(word)) {
    return distance.word;
  }
  if (item.words.some((w) => w.startsWith(word))) {
    return distance.wordBegins;
  }
  if (item.name.includes(word) || item.joined.includes(word)) {
    return distance.inName;
  }
  if (item.title.includes(word)) {
    return distance.title;
  }
  if (item.server.includes(word)) {
    return distance.server;
  }
  return item.text.includes(word) ? distance.text : undefined;
}
