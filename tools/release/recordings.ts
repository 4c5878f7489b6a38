/**
 * `recordings.ts TAG`: keeps the recorded histories of the present code as those of a release,
 * which every later one has to replay. `npm run release -- v0.2.0` runs it; it may run again.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const manifestName = 'manifest.json';
const presentPattern = /^(carried\/)?[^/]+\.json$/;
const recordings = fileURLToPath(new URL('../../test/replay/', import.meta.url));
const tagPattern = /^v\d+\.\d+\.\d+(-[\w.]+)?$/;

/**
 * Returns the paths of the release, in `test/replay`. Throws when the release is there with another
 * history: what was released stays as it is.
 */
export function keepRecordings(tag: string, folder = recordings): string[] {
  if (!tagPattern.test(tag)) {
    throw new Error(`the tag is "${tag}"; allowed: a version like v0.2.0`);
  }
  const manifest = manifestIn(folder);
  const entries = presentIn(folder).map(({ name, history }) => ({
    path: `${tag}/${name}`,
    history,
  }));
  if (entries.length === 0) throw new Error(`${folder} has no recordings`);
  const held = Object.keys(manifest).filter((path) => path.startsWith(`${tag}/`));
  const hashes = Object.fromEntries(entries.map(({ path, history }) => [path, hashOf(history)]));
  const changed = held.filter((path) => manifest[path] !== hashes[path]);
  if (changed.length > 0) {
    throw new Error(`${tag} is kept already, with other histories: ${changed.join(', ')}`);
  }
  for (const { path } of entries) mkdirSync(dirname(join(folder, path)), { recursive: true });
  // Also over what is there: a run that was broken off may have left a part of a file.
  for (const { path, history } of entries) writeFileSync(join(folder, path), history);
  const all = Object.entries({ ...manifest, ...hashes }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const text = `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`;
  writeFileSync(join(folder, manifestName), text);
  return entries.map(({ path }) => path);
}

/** Reports whether all histories of the present code are kept as those of a tag. */
export function hasRecordings(tag: string, folder = recordings): boolean {
  const manifest = manifestIn(folder);
  const present = presentIn(folder);
  const isKept = present.every(
    ({ name, history }) => manifest[`${tag}/${name}`] === hashOf(history),
  );
  return present.length > 0 && isKept;
}

function manifestIn(folder: string): Record<string, string> {
  return JSON.parse(readFileSync(join(folder, manifestName), 'utf8'));
}

/** Histories of the present code, by name; with carried states, such as `carried/machine.json`. */
function presentIn(folder: string): { name: string; history: string }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => presentPattern.test(name) && name !== manifestName)
    .toSorted()
    .map((name) => ({ name, history: readFileSync(join(folder, name), 'utf8') }));
}

function hashOf(history: string): string {
  return createHash('sha256').update(history).digest('hex');
}

if (import.meta.main) {
  const [tag = ''] = process.argv.slice(2);
  try {
    console.log(`${keepRecordings(tag).length} histories are kept as those of ${tag}`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
