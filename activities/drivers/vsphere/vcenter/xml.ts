/** XML of a vCenter's API, which takes elements only in the order of its description. */
import { XMLParser } from 'fast-xml-parser';

export interface XmlElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: readonly XmlElement[];
  text: string;
}

type Content = string | number | boolean | readonly (XmlElement | false | undefined)[];

/** What is absent of a list is left out. */
export function xml(
  name: string,
  content: Content,
  attributes: Readonly<Record<string, string>> = {},
): XmlElement {
  if (typeof content !== 'object') {
    return { name, attributes, children: [], text: String(content) };
  }
  const children = content.filter((child): child is XmlElement => typeof child === 'object');
  return { name, attributes, children, text: '' };
}

export function written({ name, attributes, children, text }: XmlElement): string {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  return `<${name}${given.join('')}>${escaped(text)}${children.map(written).join('')}</${name}>`;
}

export function childOf(element: XmlElement | undefined, path: string): XmlElement | undefined {
  return path
    .split('.')
    .reduce((of, name) => of?.children.find((child) => child.name === name), element);
}

export function allIn(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

/** Empty where there is none. */
export const textOf = (element: XmlElement | undefined, path: string): string =>
  childOf(element, path)?.text ?? '';

/** Which of the types that are allowed in its place an element is. */
export const typeOf = (element: XmlElement | undefined): string =>
  element?.attributes['xsi:type'] ?? '';

// Nothing is expanded but the five entities of XML: a document that defines others is refused.
const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  trimValues: false,
  processEntities: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
});

/** The first element in the body of an envelope. Undefined where the text is none. */
export function readAnswer(text: string): XmlElement | undefined {
  if (text.includes('<!')) return undefined;
  try {
    const root: unknown = parser.parse(text);
    const envelope = elementsIn(root).find(({ name }) => name === 'Envelope');
    return childOf(envelope, 'Body')?.children[0];
  } catch {
    return undefined;
  }
}

function elementsIn(nodes: unknown): XmlElement[] {
  return entriesOf(nodes).flatMap(({ ':@': given, ...node }) =>
    Object.entries(node)
      .filter(([name]) => name !== '#text')
      .map(([name, inner]) => ({
        name: localName(name),
        attributes: attributesIn(Object.entries(Object(given))),
        children: elementsIn(inner),
        text: entriesOf(inner).map(textIn).join(''),
      })),
  );
}

const entriesOf = (nodes: unknown): Record<string, unknown>[] =>
  Array.isArray(nodes) ? nodes : [];
const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
const textIn = ({ '#text': text = '' }: Record<string, unknown>): string => unescaped(String(text));

/** Servers choose the prefix of `xsi:type`; without one it is the type of a reference. */
function attributesIn(given: [string, unknown][]): Record<string, string> {
  const kept = given.filter(([name]) => localName(name) === 'type');
  return Object.fromEntries(
    kept.map(([name, value]) => [name === 'type' ? name : 'xsi:type', unescaped(String(value))]),
  );
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

/** What XML cannot hold at all becomes a question mark, as it would be refused. */
function escaped(text: string): string {
  // oxlint-disable-next-line no-control-regex
  const allowed = text.replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '?');
  return allowed.replaceAll(/[&<>"'\r\n\t]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function unescaped(text: string): string {
  return text.replaceAll(/&(#?)(\w+);/g, (...[whole, isNumber, name]) => {
    if (!isNumber) return entities[name] ?? whole;
    const code = Number(name.startsWith('x') ? `0${name}` : name);
    return code <= 0x10_ffff ? String.fromCodePoint(code) : whole;
  });
}
