/**
 * kill -9 of the worker at the steps by which a machine that never joined turns Failed: the look at
 * its console, the annotation, the phase.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { annotations } from '../../../workflows/api/constants.ts';
import { eventually } from './eventually.ts';
import { expectOneInstanceEach } from './invariants.ts';
import { KillProxy, type KillMoment, type Picker } from './kill-proxy.ts';
import { createMachine, deleteMachine, timeOutOnceBooted, untilBooted } from './machines.ts';
import { useScenario } from './scenario.ts';

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

  test('a machine that never joined turns Failed all the same', async () => {
    const cause = 'x509: unknown authority';
    await cloud.addFault({ kind: 'neverJoin', console: cause });
    const name = await createMachine(scenario, 'late');
    await untilBooted(scenario, name);
    proxy.arm();
    await timeOutOnceBooted(scenario, name);
    await eventually(
      'it is Failed, with an Event',
      async () => {
        const { status, metadata } = await cluster.machine(name);
        expect(status?.currentStatus?.phase).toBe('Failed');
        const event = { reason: 'NeverJoined', message: expect.stringContaining(cause) };
        expect(await cluster.events('Machine', name)).toContainEqual(
          expect.objectContaining(event),
        );
        expect(metadata.annotations?.[annotations.consoleOutput]).toContain(cause);
      },
      { timeoutSeconds: 300 },
    );
    expect(proxy.kindsHit).toEqual(Object.values(steps).toSorted());
    await expectOneInstanceEach(scenario);
    proxy.disarm();
    await deleteMachine(scenario, name);
  });
}
