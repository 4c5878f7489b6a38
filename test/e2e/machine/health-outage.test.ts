/** An outage of an API server is nobody's illness, however long it is. */
import type { Machine } from '../../../workflows/api/machine.ts';
import type { CarriedMachine } from '../../../workflows/machine/carried.ts';
import { deadlineOf } from '../../../workflows/plan/machine/health.ts';
import { ApiOutage } from '../support/api-outage.ts';
import { StateRecorder } from '../support/bounds.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createDeployment,
  deleteDeployment,
  untilPhase,
  untilRunning,
} from '../support/machines.ts';
import { setReady } from '../support/node-health.ts';
import { useScenario, type Scenario } from '../support/scenario.ts';

/**
 * Shorter than the outage. As long as what a machine gets after one, so that there is time to look
 * on a busy machine.
 */
const healthTimeoutSeconds = 60;
const outageSeconds = 75;
const replicas = 3;

interface Case {
  takes: 'target' | 'both';
  outage: ApiOutage;
  scenario: Scenario;
}

describe('while watcher and worker cannot reach', () => {
  const outages = (['target', 'both'] as const).map((takes) => ({
    takes,
    outage: new ApiOutage(`outage-${takes}`, takes),
  }));
  // In this order: watcher and worker are started after their relays.
  beforeAll(async () => {
    for (const { outage } of outages) await outage.start();
  });
  const cases: Case[] = outages.map(({ takes, outage }) => ({
    takes,
    outage,
    scenario: useScenario(`away-${takes}`, {
      ...outage.options,
      workerFlags: [
        '--machine-safety-apiserver-statuscheck-timeout=10s',
        '--machine-safety-apiserver-statuscheck-period=10s',
      ],
    }),
  }));
  afterAll(async () => {
    for (const { outage } of outages) await outage.stop();
  });

  // Side by side: an outage takes its time.
  test('the target cluster, or both, for longer than the health timeout: nobody is Failed, nobody replaced', async () => {
    await Promise.all(cases.map(sitOut));
  });
});

/** One Node is ill when the outage begins, another falls ill in it; both get well. */
async function sitOut({ takes, outage, scenario }: Case): Promise<void> {
  const { cluster } = scenario;
  const pool = await createDeployment(scenario, 'pool', {
    replicas,
    template: {
      metadata: { labels: { name: scenario.named('pool').name } },
      spec: {
        class: { kind: 'MachineClass', name: 'small' },
        healthTimeout: `${healthTimeoutSeconds}s`,
      },
    },
  });
  const before = await untilRunning(scenario, pool, replicas);
  const [ill = '', later = ''] = before.map(({ metadata }) => metadata.name);
  await using recorder = new StateRecorder(cluster.kube, scenario.namespace);
  await recorder.started();
  await setReady(scenario, ill, false);
  await untilPhase(scenario, ill, 'Unknown');

  outage.begin();
  const begun = Date.now();
  try {
    await untilSeen(scenario, ill);
    await untilFrozen(scenario, takes === 'both' ? 'control, target' : 'target');
    await setReady(scenario, later, false);
    await eventually('the outage has been longer than the health timeout', () =>
      expect(Date.now() - begun).toBeGreaterThan(outageSeconds * 1_000),
    );
    expect((await cluster.phases())[ill]).toBe('Unknown');
  } finally {
    outage.end();
  }
  await untilLooked(scenario, ill, Date.now());
  await setReady(scenario, ill, true);
  await untilThawed(scenario);
  await untilPhase(scenario, later, 'Unknown');
  await setReady(scenario, later, true);
  const after = await untilRunning(scenario, pool, replicas);
  expect(after.map(uidOf).toSorted()).toEqual(before.map(uidOf).toSorted());
  const causes = recorder.states.map(({ cause }) => cause);
  expect(causes.filter((cause) => /Failed|Terminating|being deleted|gone/.test(cause))).toEqual([]);
  recorder.expectBounds({ maxTotal: replicas, minActive: replicas });
  await deleteDeployment(scenario, pool);
}

const frozen = 'WorkflowType="safetyReachability" and Attention="external"';

async function untilFrozen({ workflows }: Scenario, servers: string): Promise<void> {
  await eventually(`the search says frozen: ${servers}`, async () => {
    expect(await workflows.running(`${frozen} and BlockedBy="frozen: ${servers}"`)).toHaveLength(1);
  });
}

async function untilThawed({ workflows }: Scenario): Promise<void> {
  await eventually('nothing is frozen any more', async () => {
    expect(await workflows.running(frozen)).toEqual([]);
  });
}

async function untilSeen({ workflows }: Scenario, name: string): Promise<void> {
  await eventually(`the page of ${name} says that nobody can look`, async () => {
    const { details } = await workflows.pageOf('machine', name);
    expect(details).toContain('cannot check its health');
  });
}

/** Looked at again, and not out of time although the outage was longer than its timeout. */
async function untilLooked({ workflows }: Scenario, name: string, ended: number): Promise<void> {
  const handle = workflows.handleOf('machine', name);
  await eventually(`${name} is looked at again`, async () => {
    const { phase, health } = await handle.query<CarriedMachine>('state');
    expect(phase).toBe('Unknown');
    expect(health?.waitsFor).not.toContain('cannot check its health');
    expect(health && deadlineOf(health)).toBeGreaterThan(ended);
  });
}

const uidOf = ({ metadata }: Machine): string => metadata.uid;
