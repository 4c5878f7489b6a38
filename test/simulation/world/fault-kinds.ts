/** The kinds of faults by name, so that a run can have some of them. */
import { allControllerTrouble } from '../controllers/trouble.ts';
import { allKubeletTrouble } from '../cloud/kubelets.ts';
import { allCloudTrouble } from '../cloud/transport.ts';
import { allFaults } from './weather.ts';

const prefixes = {
  calls: '',
  cloud: 'cloud.',
  kubelets: 'node.',
  controllers: 'controllers.',
} as const;

/** In a fixed order, e.g. `lostCalls`, `cloud.throttled`, `node.vanishes`. */
export const faultNames: readonly string[] = [
  ...namesOf(allFaults, prefixes.calls),
  ...namesOf(allCloudTrouble, prefixes.cloud),
  ...namesOf(allKubeletTrouble, prefixes.kubelets),
  ...namesOf(allControllerTrouble, prefixes.controllers),
];

/** Each kind that is named as often as in a run with all of them, the others never. */
export function troubleBy(names: readonly string[]) {
  return {
    calls: chosenOf(allFaults, names, prefixes.calls),
    cloud: chosenOf(allCloudTrouble, names, prefixes.cloud),
    kubelets: chosenOf(allKubeletTrouble, names, prefixes.kubelets),
    controllers: chosenOf(allControllerTrouble, names, prefixes.controllers),
  };
}

function namesOf(trouble: object, prefix: string): string[] {
  return Object.keys(trouble).map((name) => `${prefix}${name}`);
}

function chosenOf<K extends string>(
  trouble: Readonly<Record<K, number>>,
  names: readonly string[],
  prefix: string,
): Record<K, number> {
  const chosen: Record<K, number> = { ...trouble };
  for (const name in chosen) if (!names.includes(`${prefix}${name}`)) chosen[name] = 0;
  return chosen;
}
