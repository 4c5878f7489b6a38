/** Reads profiles and configs: YAML, checked by their schemas; each fault names its line. */
import { LineCounter, parseDocument } from 'yaml';
import { schemaCheck, type SchemaFault } from '../activities/schema/schema-check.ts';
import type { UserDataConfig } from './config.ts';
import configSchema from './config.schema.json' with { type: 'json' };
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
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter });
  const lineOf = (offset: number): number => lineCounter.linePos(offset).line;
  if (document.errors.length > 0) {
    return {
      faults: document.errors.map(({ message, pos }) => `${file}:${lineOf(pos[0])}: ${message}`),
    };
  }
  const value: T = document.toJS();
  const faults = check(value).map(({ pointer, sentence }) => {
    const node: unknown = document.getIn(stepsOf(pointer), true);
    const { range } = Object(node);
    return `${file}:${lineOf(range?.[0] ?? 0)}: ${sentence}`;
  });
  return faults.length > 0 ? { faults } : { value };
}

function stepsOf(pointer: string): (string | number)[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}
