import { anObject, courtroom, minuteMs, namespace, ownerReference, pathTo } from '../courtroom.ts';
import type { Courtroom } from '../courtroom.ts';
import { disruptionPolicy } from '../../../../kube/client/paths.ts';

const hourMs = 60 * minuteMs;
const closed = 'nothing is taken while a policy is closed';
const tooMany = 'no more are on their way than a policy allows';
const ungranted = 'machines are taken by a grant';
const turnless = 'a deployment rolls when it has its turn';

const templateOf = (version: string) => ({
  metadata: { labels: { version } },
  spec: { class: { kind: 'MachineClass', name: 'small' } },
});

interface Pool {
  name: string;
  replicas: number;
  annotations?: Record<string, string>;
}

/** In the middle of a rollout from `NAME-1` to `NAME-2`, that has no machine yet. */
function putPool(court: Courtroom, { name, replicas, annotations = {} }: Pool): void {
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 3 } };
  const spec = { replicas, strategy, template: templateOf('2') };
  const metadata = { labels: { pool: name }, annotations };
  court.control.put(anObject('MachineDeployment', name, { spec, metadata }));
  putSet(court, name, { version: '1', replicas });
  putSet(court, name, { version: '2', replicas: 0 });
}

function putSet(
  court: Courtroom,
  pool: string,
  { version, replicas }: { version: string; replicas: number },
): void {
  const name = `${pool}-${version}`;
  const ownerReferences = ownerReference('MachineDeployment', pool);
  const spec = { replicas, template: templateOf(version) };
  court.control.put(anObject('MachineSet', name, { metadata: { ownerReferences }, spec }));
  for (let index = 0; index < replicas; index += 1) {
    const status = { currentStatus: { phase: 'Running' } };
    const metadata = { ownerReferences: ownerReference('MachineSet', name) };
    court.control.put(anObject('Machine', `${name}-${index}`, { metadata, status }));
  }
}

function putPolicy(court: Courtroom, spec: object, status: object = {}): void {
  const object = anObject('DisruptionPolicy', 'nights', { spec, status });
  court.control.put({ ...object, apiVersion: 'millwright.dev/v1alpha1' });
}

async function scale(court: Courtroom, set: string, replicas: number): Promise<void> {
  court.write({ method: 'PATCH', path: pathTo('machinesets', set), body: { spec: { replicas } } });
  await court.pass(10);
}

/** An hour later. The world begins on 2026-01-01T00:00:00Z. */
async function ruled(spec: object, { status = {}, annotations = {} } = {}): Promise<Courtroom> {
  const court = courtroom();
  for (const name of ['a', 'b']) putPool(court, { name, replicas: 4, annotations });
  putPolicy(court, spec, status);
  await court.pass(hourMs);
  return court;
}

function windowOf(schedule: string, rest: object = {}): object {
  return { windows: [{ schedule, duration: '20m', ...rest }] };
}

const elsewhere = { timeZone: 'Asia/Kolkata' };
const everyNight = windowOf('0 3 * * *');

describe('a machine of an old set goes', () => {
  test.each<[string, object, string[]]>([
    ['without windows', {}, []],
    ['in a window', windowOf('50 0 * * *'), []],
    ['outside of it', everyNight, [closed]],
    ['in a window of another zone', windowOf('20 6 * * *', elsewhere), []],
    ['outside of one of another zone', windowOf('50 0 * * *', elsewhere), [closed]],
    ['in the last part of a window', windowOf('42 0 * * *', { lead: '10m' }), [closed]],
    ['shortly after its end', windowOf('36 0 * * *'), []],
    ['of another deployment', { ...everyNight, selector: { matchLabels: { pool: 'b' } } }, []],
    ['for another reason', { ...everyNight, reasons: ['Replace'] }, []],
    ['in an exclusion', exclusion('2026-01-01T00:30:00Z', '2026-01-01T02:00:00+01:00'), []],
    ['in a longer one', exclusion('2026-01-01T00:30:00Z', '2026-01-01T02:00:00Z'), [closed]],
    ['where none may', { atATime: { machines: 0 } }, [closed, ungranted, tooMany, tooMany]],
    ['in a zone that is none', windowOf('50 0 * * *', { timeZone: 'Mars/Phobos' }), [closed]],
  ])('%s', async (_, spec, rules) => {
    const court = await ruled(spec);
    await scale(court, 'a-1', 3);
    expect(court.broken()).toEqual([...new Set(rules)]);
  });

  test('as people want fewer, and when it did not work', async () => {
    const court = await ruled(everyNight);
    const size = { spec: { replicas: 3 } };
    court.control.patch(pathTo('machinedeployments', 'a'), { type: 'merge', body: size });
    await scale(court, 'a-1', 3);
    const failed = { status: { currentStatus: { phase: 'Failed' } } };
    const path = `${pathTo('machines', 'b-1-0')}/status`;
    court.control.patch(path, { type: 'merge', body: failed });
    await scale(court, 'b-1', 3);
    expect(court.broken()).toEqual([]);
  });

  test('by an override, until that is over', async () => {
    const override = '2026-01-01T01:10:00Z CVE-2026-1';
    const court = await ruled(everyNight, {
      annotations: { 'millwright.dev/override-policies': override },
    });
    await scale(court, 'a-1', 3);
    expect(court.broken()).toEqual([]);
    await court.pass(30 * minuteMs);
    await scale(court, 'b-1', 3);
    expect(court.broken()).toEqual([closed]);
  });

  test('while policies cannot be read', async () => {
    const court = await ruled({});
    const verdict = { code: 403, reason: 'Forbidden', message: 'no' };
    const untilMs = court.world.simulation.now + hourMs;
    const pathPrefix = disruptionPolicy(namespace);
    court.world.weather.refuse({ cluster: 'seed', method: 'GET', pathPrefix, verdict, untilMs });
    await scale(court, 'a-1', 3);
    expect(court.broken()).toEqual([]);
    await court.pass(20 * minuteMs);
    await scale(court, 'a-1', 2);
    expect(court.broken()).toEqual([closed]);
  });

  test.each([
    ['a', []],
    ['b', [closed]],
  ])('by a grant for %s of the time before it closed', async (pool, rules) => {
    const court = await ruled(windowOf('33 0 * * *'), { status: grantsFor(pool) });
    await scale(court, 'a-1', 3);
    expect(court.broken()).toEqual(rules);
  });
});

function exclusion(start: string, end: string): object {
  return { exclusions: [{ start, end }] };
}

/** For one machine each, of a while ago. */
function grantsFor(pools: string, takenAt = '2026-01-01T00:52:00Z'): object {
  const grants = pools.split(' ').map((deployment) => {
    const uid = `uid-of-${deployment}`;
    return { deployment, uid, set: `${deployment}-1`, to: 3, takenAt };
  });
  return { grants };
}

describe('at a time', () => {
  const one = { atATime: { machines: 1 } };

  test('one goes by a grant', async () => {
    const court = await ruled(one, { status: grantsFor('a') });
    await scale(court, 'a-1', 3);
    expect(court.broken()).toEqual([]);
  });

  test('none goes without', async () => {
    const court = await ruled(one, { status: grantsFor('b') });
    await scale(court, 'a-1', 3);
    expect(court.broken()).toEqual([ungranted]);
  });

  test('two of two pools at once are too many', async () => {
    const court = await ruled(one, { status: grantsFor('a b') });
    await scale(court, 'a-1', 3);
    await scale(court, 'b-1', 3);
    expect(court.broken()).toEqual([tooMany]);
  });

  test.each([
    ['12%', []],
    ['13%', []],
    ['50%', []],
    [2, []],
  ])('of eight %s: one at a time', async (machines, rules) => {
    const court = await ruled({ atATime: { machines } }, { status: grantsFor('a') });
    await scale(court, 'a-1', 3);
    expect(court.broken()).toEqual(rules);
  });

  test.each([
    ['12%', [tooMany]],
    ['13%', []],
  ])('of eight %s: another one', async (machines, rules) => {
    const court = await ruled({ atATime: { machines } }, { status: grantsFor('a b') });
    await scale(court, 'a-1', 3);
    await scale(court, 'b-1', 3);
    expect(court.broken()).toEqual(rules);
  });

  test('another one goes when the first is gone', async () => {
    const court = await ruled(one, { status: grantsFor('a b') });
    await scale(court, 'a-1', 3);
    court.control.remove(pathTo('machines', 'a-1-0'));
    await scale(court, 'b-1', 3);
    expect(court.broken()).toEqual([]);
  });

  test('none is added to what people delete', async () => {
    const court = await ruled(one, { status: grantsFor('a', '2026-01-01T01:18:00Z') });
    court.control.delete(pathTo('machines', 'b-1-0'));
    await court.pass(20 * minuteMs);
    await scale(court, 'a-1', 3);
    expect(court.broken()).toEqual([tooMany]);
  });
});

function turnsOf(pools: readonly string[]): object[] {
  return pools.map((deployment) => ({ deployment, uid: `uid-of-${deployment}`, since: '' }));
}

describe('turns', () => {
  const inTurn = { atATime: { deployments: 1 } };

  test.each([
    ['a', []],
    ['b', [turnless]],
  ])('pool a goes on in the turn of %s', async (pool, rules) => {
    const court = await ruled(inTurn, { status: { turns: turnsOf([pool]) } });
    await scale(court, 'a-1', 3);
    expect(court.broken()).toEqual(rules);
  });

  test('a new set waits for the turn, too', async () => {
    const court = await ruled(inTurn);
    const metadata = {
      name: 'a-3',
      finalizers: ['machine.sapcloud.io/machine-controller-manager'],
      ownerReferences: ownerReference('MachineDeployment', 'a'),
    };
    const spec = { replicas: 1, template: templateOf('2') };
    const kind = { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'MachineSet' };
    const body = { ...kind, metadata, spec };
    court.write({ method: 'POST', path: pathTo('machinesets'), body });
    expect(court.broken()).toEqual([turnless]);
  });

  test.each([
    [['a'], []],
    [['a', 'b'], [turnless]],
  ])('are given to %j', async (pools, rules) => {
    const court = await ruled(inTurn);
    const path = `${disruptionPolicy(namespace, 'nights')}/status`;
    court.write({ method: 'PATCH', path, body: { status: { turns: turnsOf(pools) } } });
    expect(court.broken()).toEqual(rules);
  });
});

test.each<[string, object, string[]]>([
  ['none', {}, ['never more than replicas and surge']],
  ['a policy', { atATime: { deployments: 1 }, surge: 2 }, []],
  [
    'one for others',
    { atATime: { deployments: 1 }, surge: 1 },
    ['never more than replicas and surge'],
  ],
])('two above replicas by %s', async (_, spec, rules) => {
  const court = await ruled(spec);
  await scale(court, 'a-2', 2);
  expect(court.broken()).toEqual(rules);
});

test('one above replicas while the policy is closed', async () => {
  const court = await ruled(everyNight);
  await scale(court, 'a-2', 1);
  expect(court.broken()).toEqual([closed]);
});

const become = (phase: string): object => ({ status: { currentStatus: { phase } } });

test.each([
  ['Unknown', [closed]],
  ['Pending', []],
])('a machine that is %s fails while the policy is closed', async (phase, rules) => {
  const court = await ruled(everyNight);
  const path = `${pathTo('machines', 'a-1-0')}/status`;
  court.control.patch(path, { type: 'merge', body: become(phase) });
  await court.pass(20 * minuteMs);
  court.write({ method: 'PATCH', path, body: become('Failed') });
  expect(court.broken()).toEqual(rules);
});

test('what people sized is put right at any time', async () => {
  const court = await ruled(everyNight);
  await scale(court, 'a-1', 4);
  const more = { spec: { replicas: 5 } };
  court.control.patch(pathTo('machinesets', 'a-1'), { type: 'merge', body: more });
  await court.pass(20 * minuteMs);
  await scale(court, 'a-1', 4);
  expect(court.broken()).toEqual([]);
});

test('what is gone back to in the middle waits for no window', async () => {
  const court = await ruled(everyNight);
  const done = { type: 'Progressing', status: 'True', reason: 'NewMachineSetAvailable' };
  const path = pathTo('machinedeployments', 'a');
  court.control.patch(path, { type: 'merge', body: { spec: { template: templateOf('1') } } });
  const status = { observedGeneration: 2, conditions: [done] };
  court.control.patch(`${path}/status`, { type: 'merge', body: { status } });
  putSet(court, 'a', { version: '2', replicas: 2 });
  await court.pass(20 * minuteMs);
  await scale(court, 'a-2', 1);
  expect(court.broken()).toEqual([]);
});

test.each([
  [2, ['never fewer than maxUnavailable allows']],
  [1, []],
])('with a surge of %d the new machine has to be there first', async (surge, rules) => {
  const status = { turns: turnsOf(['a']) };
  const court = await ruled({ atATime: { deployments: 1 }, surge }, { status });
  await scale(court, 'a-1', 3);
  court.write({ method: 'DELETE', path: pathTo('machines', 'a-1-0') });
  expect(court.broken()).toEqual(rules);
});
