/** JSON schemas in few words, each with what it allows in words for people. */

/** The types of a union never overlap, so that its parts can stand side by side in one schema. */
export interface Shape {
  type?: readonly string[];
  'x-allowed'?: string;
  [keyword: string]: unknown;
}

function ofType(type: string, allowed: string): Shape {
  return { type: [type], 'x-allowed': allowed };
}

export const text = ofType('string', 'a string: put it in quotes');
/** Its value is not shown. */
export const secret: Shape = { ...text, 'x-secret': true };
export const flag = ofType('boolean', 'true or false');
export const whole = ofType('integer', 'a whole number');
export const number = ofType('number', 'a number');
export const nothing = ofType('null', 'nothing');
export const anything: Shape = {};
export const object = ofType('object', 'an object');

export function atLeast(minimum: number, shape: Shape = whole): Shape {
  return { ...shape, minimum, 'x-allowed': `${shape['x-allowed']} from ${minimum}` };
}

/** With blanks between them; `others` are allowed as well, and not named. */
export function words(names: string, ...others: readonly (string | boolean)[]): Shape {
  const known = names.split(/\s+/);
  return { enum: [...known, ...others], 'x-allowed': `one of ${known.join(', ')}` };
}

/** What a rule says of values that another one fits. */
export function when(condition: object, consequence: object): Shape {
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON schema
  return { if: condition, then: consequence };
}

/** Texts of one form. `allowed` follows "is not". */
export function form(pattern: RegExp, allowed: string): Shape {
  return { type: ['string'], pattern: pattern.source, 'x-allowed': allowed };
}

interface Length {
  least?: number;
  most?: number;
  isUnique?: boolean;
}

export function list(
  items: Shape = anything,
  { least, most, isUnique = false }: Length = {},
): Shape {
  const sizes = [
    ...(least === undefined ? [] : [`at least ${least}`]),
    ...(most === undefined ? [] : [`at most ${most}`]),
    ...(isUnique ? ['none twice'] : []),
  ];
  return {
    type: ['array'],
    items,
    ...(least !== undefined && { minItems: least }),
    ...(most !== undefined && { maxItems: most }),
    ...(isUnique && { uniqueItems: true }),
    'x-allowed': sizes.length === 0 ? 'a list' : `a list with ${sizes.join(' and ')}`,
  };
}

/** Of any names. */
export function map(values: Shape): Shape {
  return { ...object, additionalProperties: values };
}

export type Fields = Readonly<Record<string, Shape>>;

/** `required`: names with blanks between them. */
export function fields(
  properties: Fields,
  { required = '', others = false }: { required?: string; others?: boolean | Shape } = {},
): Shape {
  return {
    ...object,
    properties,
    additionalProperties: others,
    ...(required !== '' && { required: required.split(' ') }),
  };
}

/** Fields of one shape, names with blanks between them. */
export function all(names: string, shape: Shape): Fields {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, shape]));
}

export const texts = (names: string): Fields => all(names, text);
export const flags = (names: string): Fields => all(names, flag);

/** Of different types; of texts with words, one form. */
export function either(...shapes: readonly Shape[]): Shape {
  const parts = shapes.map(asForm);
  return {
    ...Object.assign({}, ...parts),
    type: parts.flatMap(({ type = [] }) => type),
    'x-allowed': parts.map((part) => part['x-allowed']).join(', or '),
  };
}

/** Words as a pattern, which says nothing about other types. */
function asForm(shape: Shape): Shape {
  if (!Array.isArray(shape['enum'])) return shape;
  const allowed = String(shape['x-allowed']);
  return form(new RegExp(`^(${shape['enum'].join('|')})$`), allowed);
}
