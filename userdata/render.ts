/** A profile, a config and the values of a machine become the text that it starts with. */
import { createHash } from 'node:crypto';
import { cloudInit } from './cloud-init.ts';
import { ignition } from './ignition.ts';
import type { MachineValues, UserDataInput } from './input.ts';
import type { Download } from './machine-document.ts';
import { machineDocument } from './machine.ts';
import { poolFaults } from './pool-faults.ts';
import type { Profile } from './profile.ts';
import { downloadsOf } from './programs.ts';
import { placeholderValues } from './secrets.ts';
import { packagesOf } from './setup.ts';

export type { MachineValues, UserDataInput } from './input.ts';
export { poolFaults } from './pool-faults.ts';
export { placeholderValues, secretsNamedIn } from './secrets.ts';

export interface Rendered {
  format: Profile['format'];
  text: string;
  /** For both architectures. */
  downloads: readonly Download[];
  /** Of the system's package manager, which checks their signatures. */
  packages: readonly string[];
}

/**
 * Same input, same text. Throws where `poolFaults` has something to say, and where a Secret lacks a
 * key.
 */
export function render(input: UserDataInput, values: MachineValues): Rendered {
  const faults = poolFaults(input);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return {
    format: input.profile.format,
    text: textFor(input, values),
    downloads: downloadsOf(input),
    packages: packagesOf(input),
  };
}

/** The text alone, of a pool that `poolFaults` has nothing to say about. */
export function textFor(input: UserDataInput, values: MachineValues): string {
  const document = machineDocument(input, values);
  return input.profile.format === 'ignition' ? ignition(document) : cloudInit(document);
}

/**
 * `NAME@VERSION sha256:DIGEST`: of the text with placeholders instead of its name and secrets, so
 * that machines of one pool have the same, and nothing secret is in it. Of a pool as `textFor`.
 */
export function originOf(input: UserDataInput): string {
  const { name, version } = input.profile;
  const text = textFor(input, placeholderValues(input.config));
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `${name}@${version} sha256:${digest}`;
}
