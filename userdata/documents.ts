/** Reads profiles and configs: YAML, checked by their schemas; each fault names its line. */
import { mostFaults, schemaCheck, type SchemaFault } from '../activities/schema/schema-check.ts';
import type { UserDataConfig } from './config.ts';
import configSchema from './config.schema.json' with { type: 'json' };
import type { UserDataInput } from './input.ts';
import { readYaml } from './lines.ts';
import type { Profile } from './profile.ts';
import profileSchema from './profile.schema.json' with { type: 'json' };

/** Faults: sentences `FILE:LINE: FIELD: VALUE is not ALLOWED`; never empty. */
export type Read<T> = { value: T; faults?: undefined } | { faults: string[] };

/** Both, or the faults of both. */
export function inputFrom({
  profile,
  config,
  provider,
}: {
  profile: Read<Profile>;
  config: Read<UserDataConfig>;
  provider: string;
}): Read<UserDataInput> {
  if (profile.faults || config.faults) {
    return { faults: [...(profile.faults ?? []), ...(config.faults ?? [])] };
  }
  return { value: { profile: profile.value, config: config.value, provider } };
}

const checkConfig = schemaCheck(configSchema);
const checkProfile = schemaCheck(profileSchema);

/** `file`: what the faults call it, such as `ConfigMap pool-a, config.yaml`. */
export function readConfig(text: string, file: string): Read<UserDataConfig> {
  return read(text, file, checkConfig);
}

export function readProfile(text: string, file: string): Read<Profile> {
  return read(text, file, checkProfile);
}

/** Characters. Reading more would keep a worker; large files belong in the image. */
const longestText = 128 * 1024;

function read<T>(text: string, file: string, check: (value: unknown) => SchemaFault[]): Read<T> {
  if (text.length > longestText) {
    return { faults: [`${file}: ${text.length} characters are more than ${longestText}`] };
  }
  const { document, faults: ofYaml, warnings, lineOf } = readYaml(text);
  // A tag that is not known means something that would get lost.
  const first = [...ofYaml, ...warnings].slice(0, mostFaults);
  if (first.length > 0) {
    return { faults: first.map(({ line, sentence }) => `${file}:${line}: ${sentence}`) };
  }
  let value: T;
  try {
    value = document.toJS();
  } catch (error) {
    // An alias without an anchor, or aliases that stand for very much.
    return { faults: [`${file}: ${error instanceof Error ? error.message : String(error)}`] };
  }
  const faults = check(value).map(
    ({ pointer, sentence }) => `${file}:${lineOf(pointer)}: ${sentence}`,
  );
  return faults.length > 0 ? { faults } : { value };
}
