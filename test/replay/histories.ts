/**
 * The recorded histories, and in `carried` what a run of each kind handed over to the next one.
 * Those in this folder are of the present code and may be recorded anew. Those in a folder with the
 * tag of a release stay as they are for ever: `manifest.json` has their hashes, and
 * `npm run release` makes the folder.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('./', import.meta.url);
const manifestName = 'manifest.json';

/** Hash of each file of a release, by path. */
export type Manifest = Readonly<Record<string, string>>;

/** Paths in `test/replay`, e.g. `machine-idle.json` and `v0.1.0/carried/machine.json`. */
export function keptPaths(): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.json') && name !== manifestName).toSorted();
}

const isCarried = (path: string): boolean => /(^|\/)carried\//.test(path);

/** Of the histories alone. */
export function recordedPaths(): string[] {
  return keptPaths().filter((path) => !isCarried(path));
}

/** Of what runs of one kind handed over: by the present code, and by each release. */
export function carriedPaths(kind: string): string[] {
  return keptPaths().filter((path) => isCarried(path) && path.endsWith(`/${kind}.json`));
}

export function readHistory(path: string): string {
  return readFileSync(new URL(path, folder), 'utf8');
}

export function readManifest(): Manifest {
  return JSON.parse(readHistory(manifestName));
}

export function hashOf(history: string): string {
  return createHash('sha256').update(history).digest('hex');
}

const isOfRelease = (path: string): boolean => path.includes('/') && !path.startsWith('carried/');

/** What was done to the histories of releases: `held` has the hash of each file that is there. */
export function changesOf(held: Manifest, manifest: Manifest): string[] {
  const released = Object.keys(held).filter(isOfRelease);
  return [
    ...released
      .filter((path) => manifest[path] === undefined)
      .map((path) => `${path} is new: add "${path}": "${held[path]}" to manifest.json`),
    ...released
      .filter((path) => manifest[path] !== undefined && manifest[path] !== held[path])
      .map((path) => `${path} was changed: a recorded history stays as it is`),
    ...Object.keys(manifest)
      .filter((path) => held[path] === undefined)
      .map((path) => `${path} is missing: a recorded history stays for ever`),
  ];
}
