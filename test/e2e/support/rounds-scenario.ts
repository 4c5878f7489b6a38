/** An install with a round each second, and what its rounds found so far. */
import { untilScheduled } from './checks.ts';
import { eventually } from '../../support/eventually.ts';
import { createDeployment, untilRunning } from './machines.ts';
import { metricsOf } from './probes.ts';
import { useScenario, type Scenario } from './scenario.ts';

/** Of the Nodes that are to be managed. */
export const managedLabel = 'example.com/safety-rounds';
export const regularChecks = [
  'overshoot',
  'lost-workflows',
  'unmanaged-nodes',
  'reachability',
] as const;
export type RegularCheck = (typeof regularChecks)[number];

export interface RoundsPool {
  scenario: Scenario;
  /** Of its MachineDeployment, of one machine. */
  name(): string;
}

/** Begins once all checks have a Schedule. */
export function useRoundsPool(short: string): RoundsPool {
  const scenario = useRoundsScenario(short);
  let pool: string;
  beforeAll(async () => {
    for (const check of regularChecks) await untilScheduled(scenario.workflows, check);
    pool = await createDeployment(scenario, 'pool', { replicas: 1 });
    await untilRunning(scenario, pool, 1);
  });
  return { scenario, name: () => pool };
}

function useRoundsScenario(name: string): Scenario {
  return useScenario(name, {
    isDoubled: false,
    workerFlags: [
      // Their search is a run in any case.
      '--safety-orphans=off',
      '--machine-safety-overshooting-period=1s',
      '--safety-entities-period=2s',
      '--machine-safety-orphan-vms-period=1s',
      '--machine-safety-apiserver-statuscheck-period=1s',
      // A Node is old enough to be unmanaged then, and its own machine joins on a busy machine.
      '--machine-creation-timeout=20s',
      // The Nodes of other scenarios are in the same cluster: for this one they are not managed.
      `--safety-unmanaged-nodes-selector=${managedLabel}`,
    ],
    causes: [/^(machineDeployment|machineSet)\/.*: TERMINATED$/],
  });
}

/** Runs that were started so far. */
export async function runsOf({ workflows }: Scenario, check: RegularCheck): Promise<number> {
  return (await workflows.scheduleOf(check).describe()).info.numActionsTaken;
}

/** By rounds, since the last start of the worker. `outcome` as in docs/safety.md; default: all. */
async function checksMade(scenario: Scenario, check: string, outcome = ''): Promise<number> {
  return (await metricsOf(scenario, 'worker'))
    .split('\n')
    .filter((line) => line.startsWith('millwright_safety_probes_total{'))
    .filter((line) => line.includes(`check="${check}"`))
    .filter((line) => outcome === '' || line.includes(`outcome="${outcome}"`))
    .map((line) => Number(line.split(' ').at(-1)))
    .reduce((sum, count) => sum + count, 0);
}

export interface MoreChecks {
  check: RegularCheck;
  more: number;
  /** Default any. */
  outcome?: string;
}

export async function untilChecked(
  scenario: Scenario,
  { check, more, outcome }: MoreChecks,
): Promise<void> {
  const before = await checksMade(scenario, check, outcome);
  await eventually(`${more} checks of ${check}`, async () => {
    expect(await checksMade(scenario, check, outcome)).toBeGreaterThanOrEqual(before + more);
  });
}
