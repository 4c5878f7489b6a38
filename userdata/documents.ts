/** Reads profiles and configs: YAML, checked by their schemas; each fault names its line. */
import { schemaCheck, type SchemaFault } from '../activities/schema/schema-check.ts';
import type { UserDataConfig } from './config.ts';
import configSchema from './config.schema.json' with { type: 'json' };
import { readYaml } from './lines.ts';
import type { Profile } from './profile.ts';
import profileSchema from './profile.schema.json' with { type: 'json' };

/** Faults: sentences `FILE:LINE: FIELD: VALUE is not ALLOWED`; never empty. */
export type Read<T> = { value: T; faults?: undefined } | { faults: string[] };

const checkConfig = schemaCheck(configSchema);
const checkProfile = schemaCheck(profileSchema);

/** `file`: what the faults call it, such as `ConfigMap pool-a, config.yaml`. */
export function readConfig(text: string, file: string): Read<UserDataConfig> {
  return read(text, file, checkConfig);
}

export function readProfile(text: string, file: string): Read<Profile> {
  return read(text, file, checkProfile);
}

function read<T>(text: string, file: string, check: (value: unknown) => SchemaFault[]): Read<T> {
  const { document, faults: ofYaml, lineOf } = readYaml(text);
  if (ofYaml.length > 0) {
    return { faults: ofYaml.map(({ line, sentence }) => `${file}:${line}: ${sentence}`) };
  }
  const value: T = document.toJS();
  const faults = check(value).map(
    ({ pointer, sentence }) => `${file}:${lineOf(pointer)}: ${sentence}`,
  );
  return faults.length > 0 ? { faults } : { value };
}
