/** A worker that probes every second or two, and what it found so far. */
import { untilScheduled } from './checks.ts';
import { eventually } from '../../support/eventually.ts';
import { createDeployment, untilRunning } from './machines.ts';
import { probesOf } from './probes.ts';
import { useScenario, type Scenario } from './scenario.ts';

/** Of the Nodes that are to be managed. */
export const managedLabel = 'example.com/safety-probes';
export const probedChecks = [
  'overshoot',
  'lost-workflows',
  'unmanaged-nodes',
  'reachability',
] as const;
export type ProbedCheck = (typeof probedChecks)[number];

export interface ProbedPool {
  scenario: Scenario;
  /** Of its MachineDeployment, of one machine. */
  name(): string;
}

/** Begins once all checks have a Schedule. */
export function useProbedPool(short: string): ProbedPool {
  const scenario = useProbingScenario(short);
  let pool: string;
  beforeAll(async () => {
    for (const check of probedChecks) await untilScheduled(scenario.workflows, check);
    pool = await createDeployment(scenario, 'pool', { replicas: 1 });
    await untilRunning(scenario, pool, 1);
  });
  return { scenario, name: () => pool };
}

function useProbingScenario(name: string): Scenario {
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

/** Runs that were started so far, and when the Schedule itself starts the next one. */
export async function runsOf(
  { workflows }: Scenario,
  check: ProbedCheck,
): Promise<{ taken: number; next: Date | undefined }> {
  const { info } = await workflows.scheduleOf(check).describe();
  return { taken: info.numActionsTaken, next: info.nextActionTimes[0] };
}

export interface MoreProbes {
  check: ProbedCheck;
  more: number;
  /** Default any. */
  outcome?: string;
}

export async function untilProbes(
  scenario: Scenario,
  { check, more, outcome }: MoreProbes,
): Promise<void> {
  const before = await probesOf(scenario, check, outcome);
  await eventually(`${more} probes for ${check}`, async () => {
    expect(await probesOf(scenario, check, outcome)).toBeGreaterThanOrEqual(before + more);
  });
}
