/** The profiles that come with Millwright: `profiles/NAME.yaml`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readProfile } from './documents.ts';
import type { Profile } from './profile.ts';

/** Beside what was built; else in the repository. */
function folder(): string {
  const built = fileURLToPath(new URL('profiles', import.meta.url));
  return existsSync(built)
    ? built
    : fileURLToPath(new URL('../userdata/profiles', import.meta.url));
}

/** In order. */
export function profileNames(): string[] {
  const files = readdirSync(folder()).filter((file) => file.endsWith('.yaml'));
  return files.map((file) => file.replace(/\.yaml$/, '')).toSorted();
}

/** Undefined: there is none of this name. */
export function builtInProfile(name: string): Profile | undefined {
  if (!profileNames().includes(name)) return undefined;
  const file = `${name}.yaml`;
  const read = readProfile(readFileSync(`${folder()}/${file}`, 'utf8'), file);
  if (read.faults) throw new Error(read.faults.join('\n'));
  return read.value;
}
