/**
 * The programs of MCM that each of our processes stands in for. Gardener starts them by these
 * names, with flags of its own, so the name decides some defaults.
 */
import { basename } from 'node:path';
import type { Component } from './flags/flag.ts';

export const mcmNames = {
  watcher: 'machine-controller-manager',
  worker: 'machine-controller',
} as const satisfies Partial<Record<Component, string>>;

type Named = Pick<NodeJS.Process, 'argv0' | 'argv' | 'title'>;

/** Reports whether the process was started by that name: as a script, or under it. */
export function isNamedAsMcm(component: Component, named: Named = process): boolean {
  const { argv0, argv, title } = named;
  const names: Partial<Record<Component, string>> = mcmNames;
  return [argv0, argv[1] ?? '', title].some((name) => basename(name) === names[component]);
}
