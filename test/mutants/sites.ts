/** The places of a source where one operator, condition, constant or statement can be changed. */
import { parseAst } from 'rolldown/parseAst';

export interface Site {
  start: number;
  end: number;
  to: string;
  breaks: string;
}

interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

const otherOperators: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
};

/** A map, as objects have methods of their own. */
const otherMethods = new Map(
  Object.entries({
    some: 'every',
    every: 'some',
    min: 'max',
    max: 'min',
    startsWith: 'endsWith',
    endsWith: 'startsWith',
  }),
);

export function sitesOf(source: string): Site[] {
  const sites: Site[] = [];
  visit(parseAst(source, { lang: 'ts' }), (node) => {
    sites.push(...(rules[node.type]?.(node, source) ?? []));
  });
  return sites.toSorted((a, b) => a.start - b.start || a.end - b.end);
}

function visit(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, see);
  if (!isNode(value) || isOnlyType(value)) return;
  see(value);
  for (const field of Object.values(value)) visit(field, see);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** Node takes these away; the wrappers of expressions stay. */
function isOnlyType({ type }: Node): boolean {
  return type.startsWith('TS') && !/^TS(As|Satisfies|NonNull)/.test(type);
}

type Rule = (node: Node, source: string) => Site[];

const rules: Readonly<Record<string, Rule>> = {
  BinaryExpression: ({ left, right, operator }, source) => {
    const other = otherOperators[String(operator)];
    if (!isNode(left) || !isNode(right) || other === undefined) return [];
    const at = placeOf(String(operator), left.end, source);
    const swapped = { ...at, to: other, breaks: `${other} for ${String(operator)}` };
    const isText = right.type === 'Literal' && typeof right.value === 'string';
    return isText ? [swapped, site(right, "'mutant'", 'compares with another text')] : [swapped];
  },
  LogicalExpression: (node, source) => {
    const { left, right, operator } = node;
    if (!isNode(left) || !isNode(right)) return [];
    if (operator === '??') return [site(node, textOf(left, source), 'without what is behind ??')];
    const other = operator === '&&' ? '||' : '&&';
    // The parentheses keep the tree as it is: those of the source are no part of it.
    const to = `((${textOf(left, source)}) ${other} (${textOf(right, source)}))`;
    return [site(node, to, `${other} for ${String(operator)}`)];
  },
  IfStatement: ({ test }, source) => negated(test, source),
  ConditionalExpression: ({ test }, source) => negated(test, source),
  WhileStatement: ({ test }, source) => negated(test, source),
  ReturnStatement: (node) =>
    isNode(node.argument) ? [site(node, 'return;', 'nothing is returned')] : [],
  ExpressionStatement: (node) => [site(node, ';', 'the statement is left out')],
  MemberExpression: ({ object, optional, computed }, source) => {
    if (optional !== true || !isNode(object)) return [];
    const to = computed === true ? '' : '.';
    return [{ ...placeOf('?.', object.end, source), to, breaks: 'without ?.' }];
  },
  CallExpression: (node, source) => {
    const { callee } = node;
    if (!isNode(callee) || !isNode(callee.object) || !isNode(callee.property)) return [];
    const name = textOf(callee.property, source);
    if (name === 'filter') return [site(node, textOf(callee.object, source), 'without the filter')];
    const other = otherMethods.get(name);
    return other === undefined ? [] : [site(callee.property, other, `${other} for ${name}`)];
  },
  Literal: (node) => {
    const { value } = node;
    if (typeof value === 'number') return [site(node, `${value + 1}`, 'the number is one more')];
    return typeof value === 'boolean' ? [site(node, `${!value}`, `${!value} for ${value}`)] : [];
  },
};

function negated(test: unknown, source: string): Site[] {
  if (!isNode(test)) return [];
  return [site(test, `!(${textOf(test, source)})`, 'the condition is negated')];
}

function site({ start, end }: Node, to: string, breaks: string): Site {
  return { start, end, to, breaks };
}

function placeOf(text: string, from: number, source: string): { start: number; end: number } {
  const start = source.indexOf(text, from);
  return { start, end: start + text.length };
}

function textOf({ start, end }: Node, source: string): string {
  return source.slice(start, end);
}
