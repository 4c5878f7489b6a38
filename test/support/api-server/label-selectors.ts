/** Label selectors, in the grammar of Kubernetes. */
export type LabelTest = (labels: Readonly<Record<string, string>>) => boolean;

const name = '[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?';
const part = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
const validKey = new RegExp(String.raw`^(?:${part}(?:\.${part})*/)?${name}$`);
const validValue = new RegExp(`^(?:${name})?$`);
const token = /\s*(==|!=|[=!(),<>]|[^\s=!(),<>]+)/y;

/** Throws a SyntaxError. */
export function labelTestOf(selector: string): LabelTest {
  const reader = new Reader(selector);
  const tests: LabelTest[] = [];
  while (reader.next !== '') {
    tests.push(requirementIn(reader));
    const behind = reader.take();
    if (behind === '') break;
    if (behind !== ',' || !(isWord(reader.next) || reader.next === '!')) {
      throw new SyntaxError(`found '${behind === ',' ? reader.next : behind}'`);
    }
  }
  return (labels) => tests.every((test) => test(labels));
}

/** The tokens of a selector. */
class Reader {
  readonly #tokens: string[] = [];

  constructor(text: string) {
    const tokens = new RegExp(token);
    for (let found = tokens.exec(text); found; found = tokens.exec(text)) {
      this.#tokens.push(found[1] ?? '');
    }
  }

  /** Empty at the end. */
  get next(): string {
    return this.#tokens[0] ?? '';
  }

  take(): string {
    return this.#tokens.shift() ?? '';
  }
}

function isWord(text: string): boolean {
  return text !== '' && !/^[=!(),<>]/.test(text);
}

function requirementIn(reader: Reader): LabelTest {
  const isAbsent = reader.next === '!';
  if (isAbsent) reader.take();
  const key = wordIn(reader);
  if (!validKey.test(key)) throw new SyntaxError(`invalid label key ${JSON.stringify(key)}`);
  if (isAbsent) return (labels) => !(key in labels);
  if (reader.next === '' || reader.next === ',') return (labels) => key in labels;
  return comparisonIn(reader, key);
}

function wordIn(reader: Reader): string {
  const word = reader.take();
  if (!isWord(word)) throw new SyntaxError(`found '${word}', expected: identifier`);
  return word;
}

function comparisonIn(reader: Reader, key: string): LabelTest {
  const operator = reader.take();
  switch (operator) {
    case '=':
    case '==':
      return isOneOf(key, [valueIn(reader)]);
    case '!=':
      return isNoneOf(key, [valueIn(reader)]);
    case 'in':
      return isOneOf(key, valuesIn(reader));
    case 'notin':
      return isNoneOf(key, valuesIn(reader));
    case '>':
    case '<':
      return isBeyond(key, operator, integerIn(reader));
    default:
      throw new SyntaxError(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
  }
}

function isOneOf(key: string, values: readonly string[]): LabelTest {
  const wanted = new Set(values.map(requireValue));
  return (labels) => {
    const value = labels[key];
    return value !== undefined && wanted.has(value);
  };
}

/** Also an object that has no such label. */
function isNoneOf(key: string, values: readonly string[]): LabelTest {
  const isOne = isOneOf(key, values);
  return (labels) => !isOne(labels);
}

function isBeyond(key: string, operator: '<' | '>', limit: number): LabelTest {
  return (labels) => {
    const value = labels[key] ?? '';
    if (!/^[+-]?\d+$/.test(value)) return false;
    return operator === '>' ? Number(value) > limit : Number(value) < limit;
  };
}

function requireValue(value: string): string {
  if (!validValue.test(value))
    throw new SyntaxError(`invalid label value ${JSON.stringify(value)}`);
  return value;
}

/** What is left out is empty. */
function valueIn(reader: Reader): string {
  return reader.next === '' || reader.next === ',' ? '' : wordIn(reader);
}

function integerIn(reader: Reader): number {
  const text = valueIn(reader);
  if (!/^[+-]?\d+$/.test(text)) throw new SyntaxError('the value must be an integer');
  return Number(text);
}

/** In brackets, with commas; between two of them, and beside a bracket, is an empty value. */
function valuesIn(reader: Reader): string[] {
  if (reader.take() !== '(') throw new SyntaxError(`found '${reader.next}' expected: '('`);
  const values: string[] = [];
  for (;;) {
    values.push(reader.next === ',' || reader.next === ')' ? '' : wordIn(reader));
    const behind = reader.take();
    if (behind === ')') return values;
    if (behind !== ',') throw new SyntaxError(`found '${behind}', expected: ',' or ')'`);
  }
}
