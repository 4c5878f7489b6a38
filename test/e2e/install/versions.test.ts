/** Two versions of the worker, of which one is current: the upgrade and the way back. */
import { randomUUID } from 'node:crypto';
import { runCheck } from '../support/checks.ts';
import { eventually } from '../../support/eventually.ts';
import { createMachine, untilGone, untilPhase } from '../support/machines.ts';
import type { Program } from '../support/operator.ts';
import { readinessOf } from '../support/probes.ts';
import { useScenario } from '../support/scenario.ts';
import { askForVersion, versionsIn } from '../support/versions.ts';

/** Names outlive a scenario. */
const deploymentName = `versions_${randomUUID()}`;
const flagsOf = (buildId: string): string[] => [
  `--worker-deployment=${deploymentName}`,
  `--build-id=${buildId}`,
];

const current = (buildId: string, more: { isCheck?: boolean; waitMinutes?: number } = {}) =>
  askForVersion({ deploymentName, buildId, ...more });

describe('two versions of the worker', () => {
  const scenario = useScenario('versions', {
    isDoubled: false,
    workers: [
      { name: 'worker-a', flags: flagsOf('1.0.0-a') },
      { name: 'worker-b', flags: flagsOf('1.1.0-b') },
    ],
  });
  const { cluster, workflows } = scenario;

  async function untilReady(program: Program, is: { isReady: boolean; text: string }) {
    await eventually(`${program} is ready: ${is.isReady}`, async () => {
      const { isReady, text } = await readinessOf(scenario, program);
      expect({ isReady, text }).toEqual({ ...is, text: expect.stringContaining(is.text) });
    });
  }

  /** Of the run of a Machine, which may be over. */
  async function versionsOf(name: string): Promise<string[]> {
    const history = await workflows.handleOf('machine', name).fetchHistory();
    return versionsIn({ history });
  }

  test('do nothing while none is current, and say which line makes them', async () => {
    for (const [program, buildId] of [
      ['worker-a', '1.0.0-a'],
      ['worker-b', '1.1.0-b'],
    ] as const) {
      const text = `Run: millwright setup --current=${buildId} --deployment=${deploymentName}`;
      await untilReady(program, { isReady: false, text });
    }
    expect(await current('1.0.0-a', { isCheck: true })).toMatchObject({
      state: 'missing',
      text: expect.stringContaining('Run: millwright setup --current=1.0.0-a'),
    });
  });

  test('take turns: the current one works, the other one stands by and is ready', async () => {
    expect(await current('1.0.0-a')).toMatchObject({ what: 'version', state: 'made' });
    expect(await current('1.0.0-a')).toMatchObject({ what: 'version', state: 'there' });
    for (const program of ['worker-a', 'worker-b'] as const)
      await untilReady(program, { isReady: true, text: '' });

    const first = await createMachine(scenario, 'first');
    await untilPhase(scenario, first, 'Running');
    expect(await versionsOf(first)).toEqual(['1.0.0-a']);

    expect(await current('1.1.0-b')).toMatchObject({ state: 'made' });
    const second = await createMachine(scenario, 'second');
    await untilPhase(scenario, second, 'Running');
    expect(await versionsOf(second)).toEqual(['1.1.0-b']);
    // Moves with its next task, and goes on.
    await cluster.delete(cluster.pathOf('machines', first));
    await untilGone(scenario, cluster.pathOf('machines', first));
    expect(await versionsOf(first)).toEqual(['1.0.0-a', '1.1.0-b']);

    // The way back.
    expect(await current('1.0.0-a')).toMatchObject({ state: 'made' });
    await cluster.delete(cluster.pathOf('machines', second));
    await untilGone(scenario, cluster.pathOf('machines', second));
    expect(await versionsOf(second)).toEqual(['1.1.0-b', '1.0.0-a']);
  });

  test('keep the runs of checks, and let those of objects go', async () => {
    const check = await runCheck(workflows, 'overshoot');
    const behaviors = async (handle: { fetchHistory: typeof check.fetchHistory }) => {
      const { events } = await handle.fetchHistory();
      const done = (events ?? []).flatMap(
        (event) => event.workflowTaskCompletedEventAttributes ?? [],
      );
      return new Set(done.map(({ versioningBehavior }) => Number(versioningBehavior)));
    };
    const [pinned, autoUpgrade] = [1, 2];
    expect(await behaviors(check)).toEqual(new Set([pinned]));
    const third = await createMachine(scenario, 'third');
    await untilPhase(scenario, third, 'Running');
    const handle = workflows.handleOf('machine', third);
    expect(await behaviors(handle)).toEqual(new Set([autoUpgrade]));
    await cluster.delete(cluster.pathOf('machines', third));
    await untilGone(scenario, cluster.pathOf('machines', third));
  });

  test('are not exchanged for a version that has no worker', async () => {
    expect(await current('2.0.0-c', { waitMinutes: 0 })).toMatchObject({
      state: 'missing',
      text: `no worker of 2.0.0-c of ${deploymentName} polls after 0 minutes: start one, then try again`,
    });
    expect(await current('1.0.0-a')).toMatchObject({ state: 'there' });
  });
});
