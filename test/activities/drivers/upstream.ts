/**
 * Provider specs and what Gardener's own drivers make of them: `upstream.jsonl.gz` beside the tests
 * of each cloud. Recorded on 28 November 2026 with validation and request builders of
 * machine-controller-manager-provider-aws 9dd2b7a8, -gcp f192d121 and -azure 234641e3. The specs
 * are a class as Gardener's extensions write it, with each field set to each value of interest, and
 * with several such changes, but for those that Gardener's driver refuses for one of them alone.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { readingOf } from '../../../activities/drivers/spec-spelling.ts';

interface Recorded {
  /** As `ami="" keyName=undefined`. */
  what: string;
  spec: unknown;
  theirs: { refused: true } | object;
}

export interface OurSide {
  schema: object;
  validate: (spec: unknown) => string[];
  /** What is sent for a spec without faults, in the fields of the recording. */
  requestOf: (spec: unknown) => object;
}

/**
 * Why we do otherwise, and what is known by it, as `sent: PATH: THEIRS -> OURS`, `refused: FAULT`
 * or `taken: CHANGES`.
 */
export type KnownDifferences = Readonly<Record<string, readonly RegExp[]>>;

export function describeUpstream(file: URL, ours: OurSide, known: KnownDifferences): void {
  const text = gunzipSync(readFileSync(file)).toString();
  const rows: Recorded[] = text.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []));
  const read = readingOf(ours.schema);
  const found = new Map(
    rows.flatMap((row) =>
      differencesOf(row, ours, read(row.spec)).map((difference) => [difference, row.what]),
    ),
  );
  const patterns = Object.values(known).flat();

  test('what Gardener’s driver makes of a class is what ours makes of it, but for known differences', () => {
    const unknown = [...found].filter(([one]) => !patterns.some((pattern) => pattern.test(one)));
    expect(unknown).toEqual([]);
    expect(rows.length).toBeGreaterThan(400);
  });

  test.each(Object.entries(known))('it is still so that %s', (_reason, expected) => {
    const gone = expected.filter((pattern) => ![...found.keys()].some((one) => pattern.test(one)));
    expect(gone).toEqual([]);
  });
}

function differencesOf({ what, theirs }: Recorded, ours: OurSide, spec: unknown): string[] {
  const faults = ours.validate(spec);
  if ('refused' in theirs) return faults.length > 0 ? [] : [`taken: ${what}`];
  if (faults.length > 0) return faults.map((fault) => `refused: ${fault}`);
  return unequal('', plain(theirs), plain(ours.requestOf(spec)));
}

function unequal(path: string, theirs: unknown, ours: unknown): string[] {
  if (!isObject(theirs) || !isObject(ours)) {
    const [one, other] = [theirs, ours].map((value) => JSON.stringify(value) ?? 'nothing');
    return one === other ? [] : [`sent: ${path}: ${one} -> ${other}`];
  }
  const names = new Set([...Object.keys(theirs), ...Object.keys(ours)]);
  return [...names].flatMap((name) => unequal(`${path}.${name}`, theirs[name], ours[name]));
}

/**
 * Numbers as text, as Google's API has some; EC2's lists of tags as maps; what Azure's API has
 * below `properties` beside it, as its SDK; nothing for what is empty, which no recording has.
 */
function plain(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) {
    const isTags = value.length > 0 && value.every((item) => isObject(item) && 'Key' in item);
    if (!isTags) return emptied(value.map(plain));
    return Object.fromEntries(value.map(({ Key, Value }) => [Key, plain(Value)]));
  }
  if (!isObject(value)) return value === '' || value === null ? undefined : value;
  const { properties, ...rest } = value;
  const all = Object.entries({ ...rest, ...(isObject(properties) && properties) });
  const given = all.map(([name, item]) => [name, plain(item)]);
  return emptied(Object.fromEntries(given.filter(([, item]) => item !== undefined)));
}

function emptied(value: object): object | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
