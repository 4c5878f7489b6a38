/**
 * kill -9 of the worker at the steps by which a machine that never joined turns Failed: the look at
 * its console, the annotation, the phase.
 */
import { annotations } from '../../../workflows/api/constants.ts';
import { eventually } from '../../support/eventually.ts';
import { expectOneInstanceEach } from './invariants.ts';
import { KillProxy, type KillMoment, type Picker } from './kill-proxy.ts';
import { createMachine, deleteMachine, timeOutOnceBooted, untilBooted } from './machines.ts';
import { useScenario } from './scenario.ts';

const steps = {
  look: 'cloud get instances/console',
  annotation: 'api patch machines',
  phase: 'api patch machines/status Failed',
};

const cause = 'x509: unknown authority';

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

  async function expectFailed(name: string, message: RegExp): Promise<void> {
    await timeOutOnceBooted(scenario, name);
    const told = { reason: 'NeverJoined', message: expect.stringMatching(message) };
    await eventually('it is Failed, with an Event', async () => {
      const { status } = await cluster.machine(name);
      expect(status?.currentStatus?.phase).toBe('Failed');
      expect(await cluster.events('Machine', name)).toContainEqual(expect.objectContaining(told));
    });
  }

  async function aBootedMachine(short: string): Promise<string> {
    await cloud.addFault({ kind: 'neverJoin', console: cause });
    const name = await createMachine(scenario, short);
    await untilBooted(scenario, name);
    proxy.arm();
    return name;
  }

  test('a look that is lost is not waited for: the machine is Failed without it', async () => {
    const name = await aBootedMachine('lost');
    await expectFailed(name, /was not read: Unknown: no answer in time$/);
    expect(proxy.kindsHit).toEqual([steps.phase, steps.look].toSorted());
    proxy.disarm();
    await deleteMachine(scenario, name);
  });

  test('what was read is written by the next worker', async () => {
    const name = await aBootedMachine('read');
    await expectFailed(name, new RegExp(cause));
    const { metadata } = await cluster.machine(name);
    expect(metadata.annotations?.[annotations.consoleOutput]).toContain(cause);
    expect(proxy.kindsHit).toEqual(Object.values(steps).toSorted());
    await expectOneInstanceEach(scenario);
    proxy.disarm();
    await deleteMachine(scenario, name);
  });
}
