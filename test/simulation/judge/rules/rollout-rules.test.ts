import { anObject, courtroom, minuteMs, ownerReference, pathTo } from '../courtroom.ts';
import type { Courtroom } from '../courtroom.ts';

const hourMs = 60 * minuteMs;
const templateOf = (version: string) => ({
  metadata: { labels: { pool: 'a', version } },
  spec: { class: { kind: 'MachineClass', name: 'small' } },
});

interface Sizes {
  replicas: number;
  maxSurge: number | string;
  maxUnavailable: number | string;
}

function putDeployment(court: Courtroom, sizes: Sizes, spec: object = {}): void {
  const { replicas, ...rollingUpdate } = sizes;
  const strategy = { type: 'RollingUpdate', rollingUpdate };
  court.control.put(
    anObject('MachineDeployment', 'pool', {
      spec: { replicas, strategy, template: templateOf('2'), ...spec },
    }),
  );
}

/** With so many machines that run. */
function putSet(court: Courtroom, name: string, replicas: number): void {
  const ownerReferences = ownerReference('MachineDeployment', 'pool');
  const spec = { replicas, template: templateOf(name) };
  court.control.put(anObject('MachineSet', name, { metadata: { ownerReferences }, spec }));
  for (let index = 0; index < replicas; index += 1) {
    const status = { currentStatus: { phase: 'Running' } };
    const metadata = { ownerReferences: ownerReference('MachineSet', name) };
    court.control.put(anObject('Machine', `${name}-${index}`, { metadata, status }));
  }
}

async function scale(court: Courtroom, name: string, replicas: number): Promise<void> {
  court.write({ method: 'PATCH', path: pathTo('machinesets', name), body: { spec: { replicas } } });
  await court.pass(1_000);
}

function remove(court: Courtroom, name: string): void {
  court.write({ method: 'DELETE', path: pathTo('machines', name) });
}

async function rolling(sizes: Sizes): Promise<Courtroom> {
  const court = courtroom();
  putDeployment(court, sizes);
  putSet(court, '1', 4);
  putSet(court, '2', 0);
  await court.pass(hourMs);
  return court;
}

describe('growth', () => {
  test.each<[number, number | string, string[]]>([
    [1, 1, []],
    [2, 1, ['never more than replicas and surge']],
    [2, '26%', []],
    [2, '25%', ['never more than replicas and surge']],
    [1, 0, ['never more than replicas and surge']],
  ])('of the new set by %s with maxSurge %s', async (by, maxSurge, expected) => {
    const court = await rolling({ replicas: 4, maxSurge, maxUnavailable: 1 });
    await scale(court, '2', by);
    expect(court.broken()).toEqual(expected);
  });

  test('as far as another set shrank', async () => {
    const court = await rolling({ replicas: 4, maxSurge: 0, maxUnavailable: 1 });
    await scale(court, '1', 3);
    await scale(court, '2', 1);
    expect(court.broken()).toEqual([]);
  });

  test('by what was asked for until a moment ago', async () => {
    const court = await rolling({ replicas: 6, maxSurge: 0, maxUnavailable: 1 });
    putDeployment(court, { replicas: 4, maxSurge: 0, maxUnavailable: 1 });
    await court.pass(minuteMs);
    await scale(court, '2', 2);
    expect(court.broken()).toEqual([]);
    await court.pass(hourMs);
    await scale(court, '2', 3);
    expect(court.broken()).toEqual(['never more than replicas and surge']);
  });
});

const phaseBody = (phase: string) => ({ status: { currentStatus: { phase } } });

describe('shrinking', () => {
  test.each<[number | string, number, string[]]>([
    [1, 1, []],
    [1, 2, ['never fewer than maxUnavailable allows']],
    ['50%', 2, []],
    ['49%', 2, ['never fewer than maxUnavailable allows']],
  ])('with maxUnavailable %s by %s', async (maxUnavailable, by, expected) => {
    const court = await rolling({ replicas: 4, maxSurge: 1, maxUnavailable });
    await scale(court, '1', 4 - by);
    for (let index = 0; index < by; index += 1) remove(court, `1-${index}`);
    expect(court.broken()).toEqual(expected);
  });

  test("of a set that a user made smaller is the user's fault", async () => {
    const court = await rolling({ replicas: 4, maxSurge: 1, maxUnavailable: 0 });
    const body = { spec: { replicas: 2 } };
    court.control.patch(pathTo('machinesets', '1'), { type: 'merge', body });
    await court.pass(1_000);
    remove(court, '1-0');
    remove(court, '1-1');
    expect(court.broken()).toEqual([]);
  });

  test('counts the machines of a set that lost its owner a moment ago', async () => {
    const court = await rolling({ replicas: 4, maxSurge: 1, maxUnavailable: 1 });
    putSet(court, '2', 1);
    await court.pass(1_000);
    await scale(court, '1', 2);
    const body = { metadata: { ownerReferences: null } };
    court.control.patch(pathTo('machinesets', '2'), { type: 'merge', body });
    remove(court, '1-0');
    remove(court, '1-1');
    expect(court.broken()).toEqual([]);
  });

  test('counts no machine of a set that has gone since then', async () => {
    const court = await rolling({ replicas: 4, maxSurge: 1, maxUnavailable: 3 });
    putSet(court, '2', 2);
    await court.pass(hourMs);
    await scale(court, '1', 0);
    for (let index = 0; index < 4; index += 1) remove(court, `1-${index}`);
    const body = { metadata: { finalizers: null } };
    court.control.patch(pathTo('machinesets', '1'), { type: 'merge', body });
    court.control.delete(pathTo('machinesets', '1'), {});
    await court.pass(1_000);
    await scale(court, '2', 1);
    remove(court, '2-0');
    expect(court.broken()).toEqual([]);
  });

  test('by machines that do not run costs nothing', async () => {
    const court = await rolling({ replicas: 4, maxSurge: 1, maxUnavailable: 0 });
    const body = { status: { currentStatus: { phase: 'Unknown' } } };
    court.control.patch(`${pathTo('machines', '1-0')}/status`, { type: 'merge', body });
    await scale(court, '1', 3);
    remove(court, '1-0');
    expect(court.broken()).toEqual([]);
  });

  test.each([
    [1, []],
    [2, ['never fewer than maxUnavailable allows']],
  ])('by %i for one that did not run and recovered', async (by, expected) => {
    const court = await rolling({ replicas: 4, maxSurge: 1, maxUnavailable: 0 });
    const sick = `${pathTo('machines', '1-0')}/status`;
    court.control.patch(sick, { type: 'merge', body: phaseBody('Unknown') });
    await court.pass(hourMs);
    await scale(court, '1', 4 - by);
    court.control.patch(sick, { type: 'merge', body: phaseBody('Running') });
    for (let index = 1; index <= by; index += 1) remove(court, `1-${index}`);
    expect(court.broken()).toEqual(expected);
  });

  const tooManyGone = ['never fewer than maxUnavailable allows'];
  test.each([
    { when: 'kept after the decision', isKeptBefore: false, spare: 0, by: 1, expected: [] },
    { when: 'kept before it', isKeptBefore: true, spare: 0, by: 1, expected: tooManyGone },
    { when: 'kept after it', isKeptBefore: false, spare: 2, by: 2, expected: [] },
    { when: 'kept after it', isKeptBefore: false, spare: 2, by: 3, expected: tooManyGone },
  ])(
    'by $by for one that did not run and was $when, $spare may be missing: $expected',
    async ({ isKeptBefore, spare, by, expected }) => {
      const court = await rolling({ replicas: 4, maxSurge: 1, maxUnavailable: spare });
      const sick = `${pathTo('machines', '1-0')}/status`;
      court.control.patch(sick, { type: 'merge', body: phaseBody('Unknown') });
      await court.pass(hourMs);
      const currentStatus = { preserveExpiryTime: '2026-01-05T00:00:00Z' };
      const keep = { type: 'merge', body: { status: { currentStatus } } } as const;
      if (isKeptBefore) court.control.patch(sick, keep);
      await scale(court, '1', 4 - by);
      if (!isKeptBefore) court.control.patch(sick, keep);
      for (let index = 1; index <= by; index += 1) remove(court, `1-${index}`);
      expect(court.broken()).toEqual(expected);
    },
  );

  test('by one that ran is not excused by a machine made after the decision', async () => {
    const court = await rolling({ replicas: 4, maxSurge: 1, maxUnavailable: 0 });
    const sick = `${pathTo('machines', '1-0')}/status`;
    court.control.patch(sick, { type: 'merge', body: phaseBody('Unknown') });
    await court.pass(hourMs);
    await scale(court, '1', 3);
    const metadata = { ownerReferences: ownerReference('MachineSet', '1') };
    court.control.put(anObject('Machine', '1-4', { metadata, ...phaseBody('Pending') }));
    await court.pass(1_000);
    const late = `${pathTo('machines', '1-4')}/status`;
    court.control.patch(late, { type: 'merge', body: phaseBody('Running') });
    remove(court, '1-1');
    expect(court.broken()).toEqual(['never fewer than maxUnavailable allows']);
  });

  const expiry = '2026-01-02T00:00:00Z';
  const tooFew = ['never fewer than maxUnavailable allows'];
  test.each([
    { phase: 'Failed', until: expiry, wanted: 4, expected: [] },
    { phase: 'Unknown', until: expiry, wanted: 4, expected: tooFew },
    { phase: 'Unknown', until: expiry, wanted: 3, expected: [] },
    { phase: 'Unknown', until: null, wanted: 3, expected: tooFew },
    { phase: 'Unknown', until: '2025-12-31T00:00:00Z', wanted: 3, expected: tooFew },
  ])('$phase, kept until $until, to $wanted', async ({ phase, until, wanted, expected }) => {
    const court = await rolling({ replicas: 4, maxSurge: 1, maxUnavailable: 0 });
    putSet(court, '2', 1);
    const status = { currentStatus: { phase, preserveExpiryTime: until } };
    court.control.patch(`${pathTo('machines', '1-0')}/status`, { type: 'merge', body: { status } });
    await court.pass(hourMs);
    const body = { spec: { replicas: wanted } };
    court.control.patch(pathTo('machinedeployments', 'pool'), { type: 'merge', body });
    await court.pass(1_000);
    await scale(court, '1', 2);
    for (let index = 1; index <= 5 - wanted; index += 1) remove(court, `1-${index}`);
    expect(court.broken()).toEqual(expected);
  });

  test('a Failed one that was kept, and is no more between decision and deletion', async () => {
    const court = await rolling({ replicas: 4, maxSurge: 1, maxUnavailable: 0 });
    putSet(court, '2', 1);
    const keepUntil = (preserveExpiryTime: string | null): void => {
      const body = { status: { currentStatus: { phase: 'Failed', preserveExpiryTime } } };
      court.control.patch(`${pathTo('machines', '1-0')}/status`, { type: 'merge', body });
    };
    keepUntil(expiry);
    await court.pass(hourMs);
    await scale(court, '1', 2);
    keepUntil(null);
    remove(court, '1-1');
    expect(court.broken()).toEqual([]);
  });

  test.each([
    { by: 1, expected: [] },
    { by: 2, expected: tooFew },
  ])('by $by after a Failed one came to be kept', async ({ by, expected }) => {
    const court = await rolling({ replicas: 4, maxSurge: 1, maxUnavailable: 0 });
    putSet(court, '2', 1);
    const failed = `${pathTo('machines', '1-0')}/status`;
    court.control.patch(failed, { type: 'merge', body: phaseBody('Failed') });
    await court.pass(hourMs);
    const body = { status: { currentStatus: { preserveExpiryTime: expiry } } };
    court.control.patch(failed, { type: 'merge', body });
    await court.pass(1_000);
    await scale(court, '1', 4 - by);
    for (let index = 1; index <= by; index += 1) remove(court, `1-${index}`);
    expect(court.broken()).toEqual(expected);
  });

  const goes = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a'] };
  test.each([
    { what: 'in the set that shrinks', name: '1-0', metadata: {}, size: 2, expected: [] },
    { what: 'in another set', name: '2-0', metadata: {}, size: 2, expected: tooFew },
    { what: 'and goes all the same', name: '1-0', metadata: goes, size: 1, expected: tooFew },
  ])(
    'to fewer than are wanted for one that is kept $what',
    async ({ name, metadata, size, expected }) => {
      const court = await rolling({ replicas: 4, maxSurge: 1, maxUnavailable: 0 });
      putSet(court, '2', 1);
      const status = { currentStatus: { phase: 'Unknown', preserveExpiryTime: expiry } };
      const ownerReferences = ownerReference('MachineSet', name.slice(0, 1));
      const fields = { metadata: { ownerReferences, ...metadata }, status };
      court.control.put(anObject('Machine', name, fields));
      await court.pass(hourMs);
      const body = { spec: { replicas: 3 } };
      court.control.patch(pathTo('machinedeployments', 'pool'), { type: 'merge', body });
      await court.pass(1_000);
      await scale(court, '1', size);
      remove(court, '1-1');
      remove(court, '1-2');
      expect(court.broken()).toEqual(expected);
    },
  );

  test('by a machine that somebody chose is their wish', async () => {
    const court = await rolling({ replicas: 4, maxSurge: 1, maxUnavailable: 0 });
    const annotations = { 'machinepriority.machine.sapcloud.io': '1' };
    court.control.patch(pathTo('machines', '1-0'), {
      type: 'merge',
      body: { metadata: { annotations } },
    });
    await scale(court, '1', 3);
    remove(court, '1-0');
    expect(court.broken()).toEqual([]);
  });

  test('by more than the API showed at any moment', async () => {
    const court = await rolling({ replicas: 4, maxSurge: 1, maxUnavailable: 1 });
    const body = { status: { currentStatus: { phase: 'Unknown' } } };
    court.control.patch(`${pathTo('machines', '1-0')}/status`, { type: 'merge', body });
    await court.pass(hourMs);
    await scale(court, '1', 3);
    remove(court, '1-1');
    expect(court.broken()).toEqual(['never fewer than maxUnavailable allows']);
  });
});

function annotate(court: Courtroom, path: string, annotations: object): void {
  court.control.patch(path, { type: 'merge', body: { metadata: { annotations } } });
}

async function replaceChosen(court: Courtroom): Promise<void> {
  const { spec, metadata: labelled } = templateOf('2');
  const metadata = {
    ...labelled,
    name: '2-9',
    ownerReferences: ownerReference('MachineSet', '2'),
  };
  const body = { ...anObject('Machine', '2-9'), metadata, spec };
  court.write({ method: 'POST', path: pathTo('machines'), body });
  await court.pass(1_000);
}

/** The only set of a deployment, which wants fewer machines; one was chosen, and has gone. */
async function withChosen(): Promise<Courtroom> {
  const court = courtroom();
  putDeployment(court, { replicas: 3, maxSurge: 1, maxUnavailable: 1 });
  putSet(court, '2', 4);
  annotate(court, pathTo('machinesets', '2'), {
    'machine.sapcloud.io/last-deployment-replica-change-by-scaler-time': '2026-01-01T00:00:00Z',
  });
  annotate(court, pathTo('machines', '2-0'), {
    'machinepriority.machine.sapcloud.io': '1',
    'machine.sapcloud.io/marked-for-deletion-time': '2026-01-01T00:00:00Z',
  });
  await court.pass(hourMs);
  remove(court, '2-0');
  await court.pass(1_000);
  return court;
}

describe('a machine that the autoscaler chose', () => {
  const rule = 'what goes with the size of its set is not replaced';

  test('is not replaced before its set shrinks, also when that is refused for minutes', async () => {
    const court = await withChosen();
    await replaceChosen(court);
    await court.pass(5 * minuteMs);
    await scale(court, '2', 3);
    expect(court.broken()).toEqual([rule]);
  });

  test('may go before its set shrinks', async () => {
    const court = await withChosen();
    await court.pass(5 * minuteMs);
    await scale(court, '2', 3);
    expect(court.broken()).toEqual([]);
  });

  test('has nothing to do with the size that somebody wants later', async () => {
    const court = await withChosen();
    await replaceChosen(court);
    const body = { metadata: { generation: 2 }, spec: { replicas: 2 } };
    court.control.patch(pathTo('machinedeployments', 'pool'), { type: 'merge', body });
    await scale(court, '2', 3);
    expect(court.broken()).toEqual([]);
  });
});

const noReason = ['a set is deleted for a reason'];

describe('deletion of a set', () => {
  const limited = { revisionHistoryLimit: 0 };

  test.each([
    { what: 'an empty old one above the limit', spec: limited, name: '3', expected: [] },
    { what: 'without a limit', spec: {}, name: '3', expected: noReason },
    { what: 'that has machines', spec: limited, name: '1', expected: noReason },
    { what: 'of the template', spec: limited, name: '2', expected: noReason },
  ])('$what', async ({ spec, name, expected }) => {
    const court = courtroom();
    putDeployment(court, { replicas: 4, maxSurge: 1, maxUnavailable: 0 }, spec);
    putSet(court, '1', 4);
    putSet(court, '2', 0);
    putSet(court, '3', 0);
    await court.pass(hourMs);
    court.write({ method: 'DELETE', path: pathTo('machinesets', name) });
    expect(court.broken()).toEqual(expected);
  });

  test('with its deployment', async () => {
    const court = await rolling({ replicas: 4, maxSurge: 1, maxUnavailable: 0 });
    court.control.delete(pathTo('machinedeployments', 'pool'));
    await court.pass(minuteMs);
    court.write({ method: 'DELETE', path: pathTo('machinesets', '1') });
    expect(court.broken()).toEqual([]);
  });
});

test.each([
  ['2', []],
  ['9', ['a set is made by a deployment']],
])('creation of a set of template %s', async (version, expected) => {
  const court = courtroom();
  putDeployment(court, { replicas: 4, maxSurge: 1, maxUnavailable: 0 });
  await court.pass(hourMs);
  const ownerReferences = ownerReference('MachineDeployment', 'pool');
  const set = anObject('MachineSet', 'new', {
    spec: { replicas: 4, template: templateOf(version) },
  });
  const metadata = { name: 'new', ownerReferences };
  court.write({ method: 'POST', path: pathTo('machinesets'), body: { ...set, metadata } });
  expect(court.broken()).toEqual(expected);
});
