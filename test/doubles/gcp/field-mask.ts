/** Partial answers: `X-Goog-FieldMask: items(id,tags/items),nextPageToken`. */

interface Mask {
  [name: string]: Mask | true;
}

export function applyMask(body: object, text: string): unknown {
  const [mask, rest] = parse(text);
  if (rest !== '') throw new Error(`field mask: "${rest}" is left over`);
  return project(body, mask);
}

/** Of a list up to its end or a closing bracket, which stays in the rest. */
function parse(text: string): [Mask, string] {
  const mask: Mask = {};
  let rest = text;
  do {
    const [, name = '', follow = ''] = /^([a-zA-Z0-9]+)(.*)$/s.exec(rest) ?? [];
    if (name === '') throw new Error(`field mask: a name is missing at "${rest}"`);
    rest = follow;
    if (rest.startsWith('/')) {
      const [, path = '', after = ''] = /^([a-zA-Z0-9/]+)(.*)$/s.exec(rest.slice(1)) ?? [];
      mask[name] = chain(path.split('/'));
      rest = after;
    } else if (rest.startsWith('(')) {
      const [inner, after] = parse(rest.slice(1));
      if (!after.startsWith(')')) throw new Error('field mask: a bracket is not closed');
      mask[name] = inner;
      rest = after.slice(1);
    } else {
      mask[name] = true;
    }
    if (!rest.startsWith(',')) return [mask, rest];
    rest = rest.slice(1);
  } while (rest !== '');
  return [mask, rest];
}

function chain([name = '', ...more]: string[]): Mask {
  return { [name]: more.length === 0 ? true : chain(more) };
}

function project(value: unknown, mask: Mask | true): unknown {
  if (mask === true) return value;
  if (Array.isArray(value)) return value.map((item) => project(item, mask));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).flatMap(([name, item]) => {
    const inner = mask[name];
    return inner === undefined ? [] : [[name, project(item, inner)]];
  });
  return Object.fromEntries(kept);
}
