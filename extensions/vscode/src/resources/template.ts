// Expands URI templates of resources (RFC 6570, levels 1 to 3). Every value is a string: there are no lists.

interface Expression {
  operator: string;
  names: string[];
}

const pattern = /\{([+#./;?&]?)([^{}]*)\}/g;

// RFC 6570, appendix A: what comes before the values and between them, whether they have names, what
// follows a name without a value, and whether reserved characters stay.
const operators: Record<
  string,
  { first: string; separator: string; named: boolean; empty: string; reserved: boolean }
> = {
  '': { first: '', separator: ',', named: false, empty: '', reserved: false },
  '+': { first: '', separator: ',', named: false, empty: '', reserved: true },
  '#': { first: '#', separator: ',', named: false, empty: '', reserved: true },
  '.': { first: '.', separator: '.', named: false, empty: '', reserved: false },
  '/': { first: '/', separator: '/', named: false, empty: '', reserved: false },
  ';': { first: ';', separator: ';', named: true, empty: '', reserved: false },
  '?': { first: '?', separator: '&', named: true, empty: '=', reserved: false },
  '&': { first: '&', separator: '&', named: true, empty: '=', reserved: false },
};

function expression(operator: string, list: string): Expression {
  // The modifiers of level 4, a prefix length and "explode", do not change which values are asked for.
  return {
    operator,
    names: list
      .split(',')
      .map((name) => name.trim().replace(/\*$|:\d+$/, ''))
      .filter(Boolean),
  };
}

/** Returns the names of the variables, each once, in order. */
export function variables(template: string): string[] {
  const names = [...template.matchAll(pattern)].flatMap(
    ([, operator, list]) => expression(operator ?? '', list ?? '').names,
  );
  return [...new Set(names)];
}

/** Puts the values in, and omits variables without one, as the RFC says. */
export function expand(template: string, values: Record<string, string | undefined>): string {
  return template.replace(pattern, (_, operator: string, list: string) => {
    const { names } = expression(operator, list);
    const rule = operators[operator];
    if (!rule) {
      return '';
    }
    const parts = names.flatMap((name) => {
      const value = values[name];
      if (value === undefined) {
        return [];
      }
      const text = rule.reserved ? keepReserved(value) : encode(value);
      return [rule.named ? name + (text === '' ? rule.empty : `=${text}`) : text];
    });
    return parts.length === 0 ? '' : rule.first + parts.join(rule.separator);
  });
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Encodes everything but reserved characters and what is encoded already. */
function keepReserved(text: string): string {
  return text.replace(/%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]+/gu, (s) =>
    /^%[0-9A-Fa-f]{2}$/.test(s) ? s : encodeURIComponent(s),
  );
}
