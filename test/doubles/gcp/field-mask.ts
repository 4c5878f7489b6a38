/** Partial answers: `X-Goog-FieldMask: items(id,tags/items),nextPageToken`. */
import { typeOfField } from './shape.ts';

interface Mask {
  [name: string]: Mask | true;
}

export function applyMask(body: object, text: string): unknown {
  return project(body, maskOf(text));
}

/** The first that Google's description of this kind does not have: `items/nme`. */
export function unknownFieldIn(kind: string, text: string): string | undefined {
  return unknownIn(kind, maskOf(text), '');
}

function unknownIn(kind: string, mask: Mask, path: string): string | undefined {
  for (const [name, inner] of Object.entries(mask)) {
    const type = typeOfField(kind, name);
    if (type === undefined) return `${path}${name}`;
    const found = inner === true ? undefined : unknownIn(type, inner, `${path}${name}/`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function maskOf(text: string): Mask {
  const [mask, rest] = parse(text);
  if (rest !== '') throw new Error(`field mask: "${rest}" is left over`);
  return mask;
}

/** Of a list up to its end or a closing bracket, which stays in the rest. */
function parse(text: string): [Mask, string] {
  const mask: Mask = {};
  let rest = text;
  for (;;) {
    const [name, inner, after] = parseOne(rest);
    mask[name] = inner;
    if (!after.startsWith(',')) return [mask, after];
    rest = after.slice(1);
  }
}

function parseOne(text: string): [string, Mask | true, string] {
  const [, name, rest = ''] = /^([a-zA-Z0-9]+)(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new Error(`field mask: a name is missing at "${text}"`);
  if (rest.startsWith('/')) {
    const [, path = '', after = ''] = /^([a-zA-Z0-9/]+)(.*)$/s.exec(rest.slice(1)) ?? [];
    return [name, chain(path.split('/')), after];
  }
  if (!rest.startsWith('(')) return [name, true, rest];
  const [inner, after] = parse(rest.slice(1));
  if (!after.startsWith(')')) throw new Error('field mask: a bracket is not closed');
  return [name, inner, after.slice(1)];
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
