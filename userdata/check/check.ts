/** Says what is wrong with user data, also of others, where no cloud-init and no Ignition are. */
import { gunzipSync } from 'node:zlib';
import { nearestOf } from '../../workflows/values/nearest.ts';
import { schemaCheck } from '../../activities/schema/schema-check.ts';
import { readYaml, type LineFault, type YamlRead } from '../lines.ts';
import { cloudConfig } from './cloud-config.ts';
import type { Checked } from './checked.ts';
import { checkIgnition } from './ignition.ts';
import { isMultipart, partsOf } from './multipart.ts';
import { anything, fields } from './shapes.ts';

/** Bytes as a cloud gets them, packed by gzip or not. */
export function checkUserData(bytes: Uint8Array): Checked {
  // The first two bytes of everything that gzip makes.
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (!isPacked) return checkText(decoded(bytes));
  let unpacked: Uint8Array;
  try {
    unpacked = gunzipSync(bytes, { maxOutputLength: longestUnpacked });
  } catch (error) {
    return faulty('gzip', `it begins as gzip, and cannot be unpacked: ${Object(error).message}`);
  }
  const { kind, ...found } = checkText(decoded(unpacked));
  return { ...found, kind: `${kind}, packed by gzip` };
}

/** Bytes; the largest limit of a cloud, packed as well as gzip can, is below. */
const longestUnpacked = 64 * 1024 * 1024;

/** Without the mark that some editors put in front. */
function decoded(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function checkText(text: string): Checked {
  try {
    return ordered(checkKnown(text));
  } catch (error) {
    // Aliases that stand for very much or for nothing, and what is nested too deeply.
    const isOfText = error instanceof ReferenceError || error instanceof RangeError;
    if (isOfText) return faulty('unknown', `it cannot be read: ${error.message}`);
    throw error;
  }
}

function checkKnown(text: string): Checked {
  if (isMultipart(text)) return checkParts(text);
  if (text.trimStart().startsWith('{')) return checkIgnition(text);
  const known = kinds.find(({ begins }) => begins.test(text));
  if (known) return { warnings: [], ...known.check(text), kind: known.kind };
  const allowed = '#cloud-config, #!, ## template: jinja, #include, Content-Type: multipart or {';
  const first = JSON.stringify(text.split('\n', 1)[0]?.slice(0, 64));
  return faulty('unknown', `${first} is not how user data begin: with ${allowed}`);
}

function faulty(kind: string, sentence: string): Checked {
  return { kind, faults: [{ line: 1, sentence }], warnings: [] };
}

interface DocumentKind {
  kind: string;
  /** The first line, by which cloud-init knows it. */
  begins: RegExp;
  /** Its name in a document of several parts. */
  type: string;
  check(text: string): { faults: LineFault[]; warnings?: LineFault[] };
}

const unchecked = (): { faults: LineFault[] } => ({ faults: [] });

const kinds: readonly DocumentKind[] = [
  {
    kind: 'a template of Jinja, which only the machine can fill in: not checked',
    begins: /^## template: *jinja/i,
    type: 'text/jinja2',
    check: unchecked,
  },
  {
    kind: 'a list of user data (cloud-config-archive)',
    begins: /^#cloud-config-archive\s/,
    type: 'text/cloud-config-archive',
    check: checkArchive,
  },
  {
    kind: 'a patch of cloud-configs (cloud-config-jsonp): not checked',
    begins: /^#cloud-config-jsonp\s/,
    type: 'text/cloud-config-jsonp',
    check: unchecked,
  },
  {
    kind: 'cloud-config',
    begins: /^#cloud-config\b/,
    type: 'text/cloud-config',
    check: checkCloudConfig,
  },
  {
    kind: 'addresses of user data (#include): what is there is not checked',
    begins: /^#include(-once)?\s/,
    type: 'text/x-include-url',
    check: checkAddresses,
  },
  {
    kind: 'a script of every boot (boothook): not checked',
    begins: /^#cloud-boothook\b/,
    type: 'text/cloud-boothook',
    check: unchecked,
  },
  {
    kind: 'Python that handles parts (part-handler): not checked',
    begins: /^#part-handler\b/,
    type: 'text/part-handler',
    check: unchecked,
  },
  { kind: 'a script: not checked', begins: /^#!/, type: 'text/x-shellscript', check: unchecked },
];

const ofModules = schemaCheck(fields(cloudConfig, { others: anything }));

/** As cloud-init reads YAML: bytes are texts, and a tag that it does not know is a fault. */
function readAsPython(text: string): Pick<YamlRead, 'faults' | 'lineOf'> & { value: unknown } {
  const { document, faults, warnings, lineOf } = readYaml(text, '1.1');
  const all = [...faults, ...warnings];
  return {
    value: all.length > 0 ? null : document.toJS({ reviver: withoutBytes }),
    faults: all,
    lineOf,
  };
}

function checkCloudConfig(text: string): { faults: LineFault[] } {
  const { value, faults, lineOf } = readAsPython(text);
  if (faults.length > 0) return { faults };
  // It may hold nothing but comments.
  if (value === null) return { faults: [] };
  if (typeof value !== 'object' || Array.isArray(value)) {
    return { faults: [{ line: lineOf(''), sentence: 'a cloud-config is keys with values' }] };
  }
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(cloudConfig, key));
  return {
    faults: [
      ...unknown.map((key) => ({ line: lineOf(`/${key}`), sentence: unknownKey(key) })),
      ...ofModules(value).map(({ pointer, sentence }) => ({ line: lineOf(pointer), sentence })),
    ],
  };
}

function withoutBytes(_key: unknown, value: unknown): unknown {
  return value instanceof Uint8Array ? String(value) : value;
}

function unknownKey(key: string): string {
  const meant = nearestOf(key, Object.keys(cloudConfig));
  const help = meant === undefined ? 'cloud-init ignores it' : `did you mean ${meant}?`;
  return `${key} is not a key of cloud-config: ${help}`;
}

function checkArchive(text: string): { faults: LineFault[]; warnings: LineFault[] } {
  const { value: items, faults, lineOf } = readAsPython(text);
  if (faults.length > 0) return { faults, warnings: [] };
  if (!Array.isArray(items)) {
    return { faults: [{ line: lineOf(''), sentence: 'it is not a list' }], warnings: [] };
  }
  const found = items.map((item: unknown, index) => {
    const { content = item, type } = Object(item);
    const inside = checkOne(String(content), typeof type === 'string' ? type : undefined);
    return within(inside, `[${index}]`, () => lineOf(`/${index}`));
  });
  return together(found);
}

function checkAddresses(text: string): { faults: LineFault[] } {
  const lines = text.split('\n').map((address, index) => ({ address, line: index + 1 }));
  const wrong = lines
    .map(({ address, line }) => ({
      line,
      address: address.replace(/^#include(-once)?/, '').trim(),
    }))
    .filter(({ address }) => address !== '' && !address.startsWith('#') && !URL.canParse(address));
  return {
    faults: wrong.map(({ address, line }) => ({
      line,
      sentence: `${JSON.stringify(address)} is not an address`,
    })),
  };
}

/** By the type that it is said to have, else by its first line. */
function checkOne(content: string, type?: string): Checked {
  const named = kinds.find((one) => one.type === type);
  if (!named) return checkText(content);
  return { warnings: [], ...named.check(content), kind: named.kind };
}

function checkParts(text: string): Checked {
  const { parts, faults } = partsOf(text);
  const checked = parts.map(({ content, type, line }) => ({
    line,
    found: checkOne(content, type),
  }));
  const found = checked.map(({ line, found: one }, index) =>
    within(one, `part ${index + 1}`, (inside) => line + inside - 1),
  );
  const { faults: ofParts, warnings } = together(found);
  const list = checked.map(({ found: { kind } }) => kind).join('; ');
  return {
    kind: `${parts.length} parts: ${list}`,
    faults: [...faults, ...ofParts],
    warnings,
  };
}

function within(found: Checked, where: string, lineOf: (line: number) => number): Checked {
  const moved = ({ line, sentence }: LineFault): LineFault => ({
    line: lineOf(line),
    sentence: `${where}: ${sentence}`,
  });
  return { ...found, faults: found.faults.map(moved), warnings: found.warnings.map(moved) };
}

function together(found: readonly Checked[]): { faults: LineFault[]; warnings: LineFault[] } {
  return {
    faults: found.flatMap(({ faults }) => faults),
    warnings: found.flatMap(({ warnings }) => warnings),
  };
}

function ordered(checked: Checked): Checked {
  return {
    ...checked,
    faults: checked.faults.toSorted(byLine),
    warnings: checked.warnings.toSorted(byLine),
  };
}

function byLine(a: LineFault, b: LineFault): number {
  return a.line - b.line;
}
