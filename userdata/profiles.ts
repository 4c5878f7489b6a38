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

const known = new Map<string, Profile>();

/** Undefined: there is none of this name. */
export function builtInProfile(name: string): Profile | undefined {
  const profile = known.get(name) ?? readBuiltIn(name);
  // They come with the program and do not change under it; each class of each create asks.
  if (profile) known.set(name, profile);
  return profile;
}

function readBuiltIn(name: string): Profile | undefined {
  if (!profileNames().includes(name)) return undefined;
  const file = `${name}.yaml`;
  const read = readProfile(readFileSync(`${dataPath('profiles')}/${file}`, 'utf8'), file);
  if (read.faults) throw new Error(read.faults.join('\n'));
  return read.value;
}
