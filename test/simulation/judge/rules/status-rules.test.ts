import { lease } from '../../../../kube/client/paths.ts';
import { anObject, beginStop, courtroom, minuteMs, namespace, pathTo } from '../courtroom.ts';
import type { Courtroom } from '../courtroom.ts';

const failing = { lastOperation: { errorCode: 'Canceled', state: 'Failed' } };

function patchStatus(court: Courtroom, kind: 'machines' | 'machinedeployments', status: object) {
  const name = kind === 'machines' ? 'pool-a' : 'pool';
  court.write({ method: 'PATCH', path: `${pathTo(kind, name)}/status`, body: { status } });
}

test('work that a worker breaks off at its end is no failure of a Machine', () => {
  const court = courtroom();
  court.control.put(anObject('Machine', 'pool-a'));
  patchStatus(court, 'machines', failing);
  expect(court.broken()).toEqual(['no work fails because a worker ends']);
});

describe('a Machine that begins to run', () => {
  test.each([
    ['Pending', false, ['a Machine runs only when its instance is initialised']],
    ['Pending', true, []],
    ['Failed', false, []],
  ])('after %s, with an instance that is initialised: %s', (phase, isInitialized, expected) => {
    const court = courtroom();
    const { providerID } = court.cloud.create({ isInitialized }, 'cloud');
    const status = { currentStatus: { phase } };
    court.control.put(anObject('Machine', 'pool-a', { spec: { providerID }, status }));
    patchStatus(court, 'machines', { currentStatus: { phase: 'Running' } });
    expect(court.broken()).toEqual(expected);
  });
});

function rollout(court: Courtroom): void {
  const lastUpdateTime = new Date(court.world.simulation.now).toISOString();
  const conditions = [{ type: 'Progressing', status: 'True', reason: 'x', lastUpdateTime }];
  const spec = { progressDeadlineSeconds: 600 };
  court.control.put(anObject('MachineDeployment', 'pool', { spec, status: { conditions } }));
}

const leasePath = lease(namespace, 'millwright');

function hold({ control }: Courtroom, holderIdentity: string): void {
  control.patch(leasePath, { type: 'merge', body: { spec: { holderIdentity } } });
}

describe('the deadline of a rollout', () => {
  const rule = 'a rollout is overdue only when its time is up';

  const overdue = {
    conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }],
  };

  test.each([
    [11, 0, []],
    [5, 0, [rule]],
    [11, 5, [rule]],
    [16, 5, []],
  ])('after %i minutes, in %i of which a server was away', async (minutes, awayFor, expected) => {
    const court = courtroom();
    rollout(court);
    await court.pass(minuteMs);
    for (const cluster of court.world.clusters) cluster.isUp = false;
    await court.pass(awayFor * minuteMs);
    for (const cluster of court.world.clusters) cluster.isUp = true;
    await court.pass((minutes - 1 - awayFor) * minuteMs);
    patchStatus(court, 'machinedeployments', overdue);
    expect(court.broken()).toEqual(expected);
  });

  test.each([
    { was: 'deleted', lose: ({ control }: Courtroom) => control.delete(leasePath) },
    { was: 'taken by another program', lose: (court: Courtroom) => hold(court, 'intruder') },
  ])('runs on where the Lease that knew of a pause was $was', async ({ lose }) => {
    const court = courtroom();
    rollout(court);
    await court.pass(minuteMs);
    lose(court);
    await court.pass(4 * minuteMs);
    patchStatus(court, 'machinedeployments', overdue);
    expect(court.broken()).not.toContain(rule);
  });
});

/** The set is made smaller, then frozen so long after a stop. */
async function freezeOnItsWayDown(
  set: { replicas: number; status?: object },
  afterMs: number,
): Promise<string[]> {
  const court = courtroom();
  const { replicas, ...fields } = set;
  court.control.put(anObject('MachineSet', 'set', { spec: { replicas }, ...fields }));
  await court.pass(minuteMs);
  const path = pathTo('machinesets', 'set');
  court.control.patch(path, { type: 'merge', body: { spec: { replicas: 1 } } });
  beginStop(court);
  await court.pass(afterMs);
  court.write({ method: 'PATCH', path, body: { metadata: { labels: { freeze: 'True' } } } });
  return court.broken();
}

test.each([
  [1, minuteMs, []],
  [5, minuteMs, ['a set is frozen only when it makes too many']],
  [5, 1_000, []],
])('a set of %i machines that has 1 and is frozen %i ms after a stop', async (...given) => {
  const [replicas, afterMs, expected] = given;
  expect(await freezeOnItsWayDown({ replicas }, afterMs)).toEqual(expected);
});

test('a frozen set gets its label freeze back after another client removed it', async () => {
  const status = { machineSetCondition: [{ type: 'Frozen', status: 'True' }] };
  expect(await freezeOnItsWayDown({ replicas: 5, status }, minuteMs)).toEqual([]);
});
