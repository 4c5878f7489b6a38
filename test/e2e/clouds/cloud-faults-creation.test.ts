/**
 * Each fault of a cloud in the creation of a machine, all at once: each Machine says what is wrong,
 * and goes on when it is over.
 */
import { node as nodePath } from '../../../kube/client/paths.ts';
import { casesOf, hangs, untilEachSays, type FaultCase } from '../support/cloud-fault-cases.ts';
import { untilEvent } from '../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createDeployment,
  createMachine,
  deleteDeployment,
  deleteMachine,
  untilPhase,
  untilRunning,
} from '../support/machines.ts';
import { setReady } from '../support/node-health.ts';
import { useScenario } from '../support/scenario.ts';

describe('the creation of a machine', () => {
  const scenario = useScenario('faults-create', { workerFlags: ['--resource-exhausted-retry=1s'] });
  const { cluster, cloud, workflows } = scenario;
  // Those of a test that failed would fail the next one, too.
  afterEach(() => cloud.clearFaults());

  test('says which fault of the cloud is in its way, and makes one VM when that is over', async () => {
    const refusals: FaultCase[] = [
      {
        short: 'quota',
        fault: { kind: 'quota' },
        code: 'ResourceExhausted',
        words: 'may not have more instances',
      },
      { short: 'zone', fault: { kind: 'zoneFull' }, code: 'ResourceExhausted', words: 'zone' },
    ];
    const cases = [...casesOf('create').filter(({ short }) => short !== hangs), ...refusals];
    for (const { short, fault } of cases) {
      await cloud.addFault({ ...fault, match: scenario.named(short).name });
    }
    const names = await Promise.all(cases.map(({ short }) => createMachine(scenario, short)));
    await untilEachSays(scenario, cases, 'Create');
    const phases = await cluster.phases();
    expect(names.map((name) => phases[name])).toEqual(names.map(() => 'CrashLoopBackOff'));
    expect(await cloud.instances()).toEqual([]);
    // While it tries again, its page says that instead.
    await eventually('its page says what is wrong', async () => {
      const { details } = await workflows.pageOf('machine', names[0] ?? '');
      expect(details).toContain(cases[0]?.words);
    });

    await cloud.clearFaults();
    await eventually('all are Running', async () => {
      const now = await cluster.phases();
      expect(names.filter((name) => now[name] !== 'Running')).toEqual([]);
    });
    const machines = await cluster.machines();
    for (const { status } of machines) {
      expect(status?.lastOperation).toMatchObject({ state: 'Successful', type: 'Create' });
      expect(status?.lastOperation?.errorCode).toBeUndefined();
    }
    const { createsPerName } = await cloud.calls();
    expect(createsPerName).toEqual(Object.fromEntries(names.map((name) => [name, 1])));
    await Promise.all(names.map((name) => deleteMachine(scenario, name)));
  });

  test('whose answer is lost again and again makes one VM', async () => {
    await cloud.addFault({ operation: 'create', kind: 'loseAnswer', times: 2 });
    await cloud.addFault({ operation: 'list', kind: 'loseAnswer', times: 2 });
    const name = await createMachine(scenario, 'lost');
    await untilPhase(scenario, name, 'Running');
    expect((await cloud.calls()).createsPerName[name]).toBe(1);
    await untilEvent(
      scenario,
      { kind: 'Machine', name },
      { reason: 'FailedCreate', message: expect.stringContaining('Unavailable') },
    );
    await deleteMachine(scenario, name);
  });

  test('the creation of a machine that is refused for ever does not stand in the way of a deletion', async () => {
    await cloud.addFault({ operation: 'create', kind: 'error', code: 'PermissionDenied' });
    const name = await createMachine(scenario, 'refused');
    await untilPhase(scenario, name, 'CrashLoopBackOff');
    await deleteMachine(scenario, name);
    await cloud.clearFaults();
    expect((await cloud.calls()).createsPerName[name]).toBeUndefined();
  });

  test('the creation of a machine that hangs does not stand in the way of a deletion, and no VM is left', async () => {
    const before = await cloud.count('create', 'hang');
    await cloud.addFault({ operation: 'create', kind: 'hang' });
    const name = await createMachine(scenario, 'silent');
    await eventually('the create hangs', async () => {
      expect(await cloud.count('create', 'hang')).toBeGreaterThan(before);
    });
    await deleteMachine(scenario, name);
    await cloud.clearFaults();
    expect(await cloud.instances()).toEqual([]);
  });

  test('whose Node registers and is not ready waits for it', async () => {
    await cloud.addFault({ kind: 'joinNotReady' });
    const name = await createMachine(scenario, 'unready');
    await untilPhase(scenario, name, 'Pending');
    await eventually('the Node is there', () => cluster.kube.get(nodePath(name)));
    expect((await untilPhase(scenario, name, 'Pending')).status?.lastOperation).toMatchObject({
      state: 'Processing',
      type: 'Create',
    });
    await setReady(scenario, name, true);
    await untilPhase(scenario, name, 'Running');
    await deleteMachine(scenario, name);
  });

  test('whose Node falls ill later, or whose VM vanishes, is followed by another one', async () => {
    const pools = await Promise.all(['ill', 'gone'].map(createPool));
    for (const pool of pools) {
      const all = await eventually(`a machine of ${pool} was replaced`, async () => {
        const { createsPerName } = await cloud.calls();
        const ofPool = Object.entries(createsPerName).filter(([name]) => name.startsWith(pool));
        expect(ofPool).toHaveLength(3);
        return ofPool;
      });
      expect(all.map(([, count]) => count)).toEqual([1, 1, 1]);
      await untilRunning(scenario, pool, 2);
    }
    const types = (await cloud.happenings()).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['vanished', 'sickened']));
    for (const pool of pools) await deleteDeployment(scenario, pool);
  });

  /** Two replicas, one of which has a bad fate. */
  async function createPool(short: string): Promise<string> {
    const { name } = scenario.named(short);
    const kind = short === 'ill' ? 'unhealthyLater' : 'vanish';
    // From the create on: a Node that is ill before its machine was seen Running has not joined.
    await cloud.addFault({ kind, seconds: 15, times: 1, match: `${name}-*` });
    return await createDeployment(scenario, short, {
      replicas: 2,
      template: {
        metadata: { labels: { name } },
        spec: { class: { kind: 'MachineClass', name: 'small' }, healthTimeout: '4s' },
      },
    });
  }
});
