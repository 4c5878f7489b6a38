/** The kinds of faults by name, so that a run can have some of them. */
import { allAgentTrouble } from '../cloud/agents.ts';
import { allControllerTrouble } from '../controllers/trouble.ts';
import { allKubeletTrouble } from '../cloud/kubelets.ts';
import { allCloudTrouble } from '../cloud/transport.ts';
import { usualMix, type Mix } from './mix.ts';
import { isCallFault } from './trouble.ts';
import { allFaults } from './weather.ts';

const prefixes = {
  calls: '',
  cloud: 'cloud.',
  kubelets: 'node.',
  controllers: 'controllers.',
  agents: 'agent.',
} as const;

/** In a fixed order, e.g. `lostCalls`, `cloud.throttled`, `node.vanishes`. */
export const faultNames: readonly string[] = [
  ...namesOf(allFaults, prefixes.calls),
  ...namesOf(allCloudTrouble, prefixes.cloud),
  ...namesOf(allKubeletTrouble, prefixes.kubelets),
  ...namesOf(allControllerTrouble, prefixes.controllers),
  ...namesOf(allAgentTrouble, prefixes.agents),
];

/** How much more often than usual a fault of calls happens at most: above it no work gets done. */
const mostOfCalls = 3;

/** Each kind that is named, as often as usual or as the mix has it; the others never. */
export function troubleBy(names: readonly string[], mix: Mix = usualMix) {
  const timesOf = (kind: string): number => (names.includes(kind) ? mix(kind) : 0);
  const timesOfCalls = (kind: string): number =>
    isCallFault(kind) ? Math.min(timesOf(kind), mostOfCalls) : timesOf(kind);
  return {
    calls: mixed(allFaults, timesOfCalls, prefixes.calls),
    cloud: mixed(allCloudTrouble, timesOf, prefixes.cloud),
    kubelets: mixed(allKubeletTrouble, timesOf, prefixes.kubelets),
    controllers: mixed(allControllerTrouble, timesOf, prefixes.controllers),
    agents: mixed(allAgentTrouble, timesOf, prefixes.agents),
  };
}

function namesOf(trouble: object, prefix: string): string[] {
  return Object.keys(trouble).map((name) => `${prefix}${name}`);
}

function mixed<K extends string>(
  trouble: Readonly<Record<K, number>>,
  timesOf: Mix,
  prefix: string,
): Record<K, number> {
  const found: Record<K, number> = { ...trouble };
  for (const name in found) found[name] *= timesOf(`${prefix}${name}`);
  return found;
}
