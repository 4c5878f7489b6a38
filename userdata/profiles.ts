/** The profiles that come with Millwright: `profiles/NAME.yaml`. */
import { readdirSync, readFileSync } from 'node:fs';
import { dataPath } from './data-path.ts';
import { readProfile } from './documents.ts';
import type { Profile } from './profile.ts';

/** In order. */
export function profileNames(): string[] {
  const files = readdirSync(dataPath('profiles')).filter((file) => file.endsWith('.yaml'));
  return files.map((file) => file.replace(/\.yaml$/, '')).toSorted();
}

/** Undefined: there is none of this name. */
export function builtInProfile(name: string): Profile | undefined {
  if (!profileNames().includes(name)) return undefined;
  const file = `${name}.yaml`;
  const read = readProfile(readFileSync(`${dataPath('profiles')}/${file}`, 'utf8'), file);
  if (read.faults) throw new Error(read.faults.join('\n'));
  return read.value;
}
