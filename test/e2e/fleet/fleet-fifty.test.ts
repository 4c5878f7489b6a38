/** Fifty namespaces with three target clusters, served by one watcher and one worker. */
import { signalProcess } from '../../../deploy/local/supervision/identity.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { annotations } from '../../../workflows/api/constants.ts';
import { Cluster } from '../support/cluster.ts';
import { CloudRouter } from '../support/cloud-router.ts';
import { componentOf } from '../support/components.ts';
import { eventually } from '../../support/eventually.ts';
import { TestFleet } from '../support/fleet.ts';
import { createMachine, untilPhase } from '../support/machines.ts';
import type { Scenario } from '../support/scenario.ts';
import { startSecondStack, stopSecondStack } from '../support/second-stack.ts';
import { testStack } from '../support/test-stack.ts';

const names = ['fleet-two', 'fleet-three'];
const [two, three] = await Promise.all(names.map(startSecondStack));
if (!two || !three) throw new Error('there are two more stacks');
// Registered first, so it runs last.
afterAll(async () => {
  await Promise.all(names.map(stopSecondStack));
});

const targets = [testStack(), two, three];
const count = 50;

async function untilRunning(scenarios: readonly Scenario[], name: string): Promise<Machine[]> {
  const running = scenarios.map(async (scenario) => {
    const machine = await createMachine(scenario, name);
    return await untilPhase(scenario, machine, 'Running');
  });
  return await Promise.all(running);
}

describe('fifty namespaces', () => {
  let cloudAddress = '';
  const fleet = new TestFleet('fifty', { finds: 'labels', virtualCloud: () => cloudAddress });
  const admin = new Cluster('default', testStack().layout.kubeconfig);
  const members = Array.from({ length: count }, (_, index) => {
    const target = targets[index % targets.length] ?? two;
    return { target, scenario: fleet.member(`fifty${index}`, { target }) };
  });
  const router = new CloudRouter(
    targets.map((stack) => ({
      address: stack.virtualCloud,
      isFor: (name) =>
        members.some(
          ({ target, scenario }) => target === stack && name.startsWith(`${scenario.namespace}-`),
        ),
    })),
  );
  const allBut = (without: unknown): Scenario[] =>
    members.filter(({ target }) => target !== without).map(({ scenario }) => scenario);

  beforeAll(async () => {
    cloudAddress = await router.start();
    for (const { scenario } of members) await scenario.start();
    await fleet.start(admin.kube);
  });

  afterAll(async () => {
    await fleet.end();
    await fleet.revoke(admin.kube);
    await router.stop();
    await admin.close();
  });

  test('all are served, and each has its Nodes in its own target cluster', async () => {
    for (const { scenario } of members) {
      await fleet.untilServed('worker', scenario.namespace);
      await fleet.untilServed('watcher', scenario.namespace);
    }
    const machines = await untilRunning(allBut(undefined), 'a');
    const ids = machines.map(({ metadata }) => metadata.annotations?.[annotations.targetCluster]);
    expect(new Set(ids).size).toBe(targets.length);
    for (const [index, { scenario }] of members.entries()) {
      expect(ids[index]).toBe(ids[index % targets.length]);
      expect(await scenario.cluster.nodes()).toHaveLength(1);
    }
  });

  test('a target cluster that hangs harms no namespace of the others', async () => {
    const server = componentOf(two.stack.stateDir, 'kube-apiserver');
    const hanging = members.find(({ target }) => target === two)?.scenario;
    if (!hanging) throw new Error('no namespace has this target');
    signalProcess(server, 'SIGSTOP');
    let waiting = '';
    try {
      waiting = await createMachine(hanging, 'b');
      await untilRunning(allBut(two), 'b');
      expect((await hanging.cluster.phases())[waiting]).not.toBe('Running');
    } finally {
      signalProcess(server, 'SIGCONT');
    }
    await untilPhase(hanging, waiting, 'Running');
  });

  test('a worker that is killed goes on with all of them', async () => {
    await fleet.operator.kill9('worker');
    await untilRunning(allBut(undefined), 'c');
    await eventually('all are served again', async () => {
      const text = await fleet.metrics('worker');
      const served = text.match(/^millwright_namespace_served\{.*\} 1$/gm) ?? [];
      expect(served).toHaveLength(count);
    });
  });
});
