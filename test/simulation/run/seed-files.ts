/**
 * Files that describe a run. Those in `test/simulation/seeds` found a defect once, and are replayed
 * for ever; `manifest.json` has their hashes.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isRecord } from '../../../workflows/values/is-record.ts';
import type { Setup } from './simulator.ts';
import { chosen, positiveNumber, seedNumber, wholeNumber, type Kinds } from './values.ts';

const folder = fileURLToPath(new URL('../seeds/', import.meta.url));
const manifestName = 'manifest.json';

/** Hash of each file, by name. */
export type Manifest = Readonly<Record<string, string>>;

export function keptSeedFiles(): string[] {
  const names = readdirSync(folder);
  return names.filter((name) => name.endsWith('.json') && name !== manifestName).toSorted();
}

export function textOfKept(name: string): string {
  return readFileSync(`${folder}${name}`, 'utf8');
}

export function manifestOfKept(): Manifest {
  return JSON.parse(textOfKept(manifestName));
}

export function hashesOfKept(): Manifest {
  const names = keptSeedFiles();
  return Object.fromEntries(names.map((name) => [name, hashOf(textOfKept(name))]));
}

/** What was done to the kept files: `held` has the hash of each that is there. */
export function changesOf(held: Manifest, manifest: Manifest): string[] {
  const names = [...new Set([...Object.keys(held), ...Object.keys(manifest)])].toSorted();
  return names.flatMap((name) => {
    if (held[name] === manifest[name]) return [];
    if (held[name] === undefined) return [`${name} is missing: a seed stays for ever`];
    if (manifest[name] !== undefined) return [`${name} was changed: a seed stays as it is`];
    return [`${name} is new: add "${name}": "${held[name]}" to ${manifestName}`];
  });
}

/** Throws an Error that names file, field, value and what is allowed. */
export function readSeedFile(path: string, kinds: Kinds): Setup {
  try {
    return setupIn(JSON.parse(readFileSync(path, 'utf8')), kinds);
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** What else is in it, is for people. */
export function setupIn(content: unknown, kinds: Kinds): Setup {
  if (!isRecord(content)) throw new Error('the file holds no JSON object');
  return {
    seed: seedNumber('seed', String(content['seed'])),
    machines: wholeNumber('machines', String(content['machines']), 1_000),
    hours: positiveNumber('hours', String(content['hours'])),
    faults: chosen('faults', namesIn(content, 'faults'), kinds.faults),
    users: chosen('users', namesIn(content, 'users'), kinds.users),
  };
}

function namesIn(content: Record<string, unknown>, field: string): string[] {
  const value = content[field];
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw new Error(`${field}: ${JSON.stringify(value)} is not a list of names`);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
