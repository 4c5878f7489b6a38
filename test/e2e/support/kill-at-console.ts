/**
 * kill -9 of the worker at the steps by which a machine that never joined turns Failed: the look at
 * its console, the annotation, the phase.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { annotations } from '../../../workflows/api/constants.ts';
import { untilEvent } from './events.ts';
import { eventually } from './eventually.ts';
import { expectOneInstanceEach } from './invariants.ts';
import { KillProxy, type KillMoment, type Picker } from './kill-proxy.ts';
import { machinesOf, untilGone, untilRunning } from './machines.ts';
import { useScenario } from './scenario.ts';
import { createSet, deleteSet } from './sets.ts';

const steps = {
  look: 'cloud get instances/console',
  annotation: 'api patch machines',
  phase: 'api patch machines/status Failed',
};

/** At each of them once. */
function picker(): Picker {
  const wanted = new Set(Object.values(steps));
  return ({ kind }, { body }) => {
    const isMeant = kind !== steps.annotation || body.includes(annotations.consoleOutput);
    return isMeant && wanted.delete(kind);
  };
}

export function testKillAtConsole(moment: KillMoment): void {
  const proxy = new KillProxy({ moment, name: `kill-console-${moment}`, picks: picker() });
  beforeAll(() => proxy.start(() => scenario.operator.kill9('worker')));
  const scenario = useScenario(`kill-console-${moment}`, { workerAccess: () => proxy.access });
  afterAll(() => proxy.stop());
  const { cluster, cloud } = scenario;

  test('a machine that never joined turns Failed all the same, and is replaced', async () => {
    await cloud.addFault({ kind: 'neverJoin', times: 1, console: 'x509: unknown authority' });
    proxy.arm();
    const set = await createSet(scenario, 'late', { replicas: 1, creationTimeout: '10s' });
    const failed = await eventually('the first machine is there', async () => {
      const [machine] = await machinesOf(scenario, set);
      expect(machine).toBeDefined();
      return machine?.metadata.name ?? '';
    });
    const patient = { timeoutSeconds: 300 };
    await untilGone(scenario, cluster.pathOf('machines', failed), patient);
    await untilRunning(scenario, set, 1);
    expect(proxy.kindsHit).toEqual(Object.values(steps).toSorted());
    await untilEvent(scenario, { kind: 'Machine', name: failed }, { reason: 'NeverJoined' });
    await expectOneInstanceEach(scenario);
    proxy.disarm();
    await deleteSet(scenario, set);
  });
}
