/**
 * Every flag of both processes. MCM v0.62.1 has two binaries; each of our processes accepts the
 * flags of both.
 */
import type { Flag } from './flag.ts';
import { machineFlags } from './machine.ts';
import { processFlags } from './process.ts';
import { unusedFlags } from './unused.ts';

const flagTable = { ...processFlags, ...machineFlags, ...unusedFlags };

export type FlagName = keyof typeof flagTable;

export type FlagValues = {
  [Name in FlagName]: NonNullable<ReturnType<(typeof flagTable)[Name]['kind']['parse']>>;
};

export const isFlagName = (name: string): name is FlagName => Object.hasOwn(flagTable, name);

export const flagNames = Object.keys(flagTable).filter(isFlagName);

export function flagOf(name: FlagName): Flag<unknown> {
  return flagTable[name];
}
