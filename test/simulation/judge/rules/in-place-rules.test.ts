import {
  aNode,
  anObject,
  courtroom,
  minuteMs,
  namespace,
  ownerReference,
  pathTo,
} from '../courtroom.ts';
import type { Courtroom } from '../courtroom.ts';

const prefix = 'node.machine.sapcloud.io';
const selectedLabel = `${prefix}/selected-for-update`;
const resultLabel = `${prefix}/update-result`;

const rules = {
  room: 'no more are updated at once than maxUnavailable allows',
  time: 'a Node is selected while it may be',
  move: 'a machine moves when it is updated',
  keeps: 'an update in place keeps its machines',
  makes: 'an update in place makes no machine',
  made: 'a Machine is made by a set',
  fails: 'an update fails when the agent says so or its time is up',
  early: 'a Machine fails only when its time is up',
  judged: 'a machine is not judged while it is updated',
  stop: 'a failed update that stops a rollout replaces nothing',
  drained: 'only the Node of a Machine that goes is drained',
  closed: 'nothing is taken while a policy is closed',
  surge: 'never more than replicas and surge',
} as const;

interface Pool {
  replicas?: number;
  maxUnavailable?: number;
  maxSurge?: number;
  spec?: object;
  annotations?: Record<string, string>;
}

function templateOf(version: string) {
  return {
    metadata: { labels: { pool: 'a', version } },
    spec: { class: { kind: 'MachineClass', name: 'small' } },
  };
}

function put({ control }: Courtroom, version: string, replicas: number): void {
  const isOld = version === '1';
  control.put(
    anObject('MachineSet', `pool-${version}`, {
      metadata: {
        labels: isOld ? { [`${prefix}/scale-up-disabled`]: 'true' } : {},
        ownerReferences: ownerReference('MachineDeployment', 'pool'),
      },
      spec: {
        replicas,
        selector: { matchLabels: { pool: 'a', hash: version } },
        template: templateOf(version),
      },
    }),
  );
}

/** Four machines; `pool-1-d` is in the set of the template alone where `moved` says so. */
async function scene(pool: Pool = {}, phases: Record<string, string> = {}): Promise<Courtroom> {
  const { replicas = 4, maxUnavailable = 1, maxSurge = 0, spec, annotations = {} } = pool;
  const court = courtroom();
  const inPlaceUpdate = { maxUnavailable, maxSurge, orchestrationType: 'Auto' };
  court.control.put(
    anObject('MachineDeployment', 'pool', {
      metadata: { annotations },
      spec: {
        replicas,
        strategy: { type: 'InPlaceUpdate', inPlaceUpdate },
        selector: { matchLabels: { pool: 'a' } },
        template: templateOf('2'),
        ...spec,
      },
    }),
  );
  put(court, '1', 4);
  put(court, '2', 0);
  for (const name of ['a', 'b', 'c', 'd']) join(court, name, phases[name]);
  await court.pass(20 * minuteMs);
  return court;
}

function join({ control, target, cloud }: Courtroom, name: string, phase = 'Running'): void {
  const machine = `pool-1-${name}`;
  const { providerID } = cloud.create({ uid: `uid-of-${machine}`, name: machine }, 'cloud');
  control.put(
    anObject('Machine', machine, {
      metadata: {
        labels: { pool: 'a', hash: '1', node: machine },
        ownerReferences: ownerReference('MachineSet', 'pool-1'),
      },
      spec: { providerID, class: { kind: 'MachineClass', name: 'small' } },
      status: { currentStatus: { phase } },
    }),
  );
  target.put(aNode(machine, providerID));
}

function select({ write }: Courtroom, name: string): void {
  const body = { metadata: { labels: { [selectedLabel]: 'true' } } };
  write({ method: 'PATCH', path: `/api/v1/nodes/pool-1-${name}`, in: 'target', body });
}

/** As an agent or a person labels the Node. */
function label({ target }: Courtroom, name: string, labels: object): void {
  target.patch(`/api/v1/nodes/pool-1-${name}`, { type: 'merge', body: { metadata: { labels } } });
}

/** Behind a colon stands what the Machine says. */
function setPhase({ write }: Courtroom, name: string, said: string): void {
  const [phase, description] = said.split(': ');
  const body = { status: { currentStatus: { phase }, lastOperation: { description } } };
  write({ method: 'PATCH', path: `${pathTo('machines', `pool-1-${name}`)}/status`, body });
}

function move({ write }: Courtroom, name: string, more: object = {}): void {
  const body = {
    metadata: {
      labels: { hash: '2', [resultLabel]: 'successful' },
      ownerReferences: ownerReference('MachineSet', 'pool-2'),
      ...more,
    },
  };
  write({ method: 'PATCH', path: pathTo('machines', `pool-1-${name}`), body });
}

describe('a Node is selected', () => {
  test.each<[Pool, string[], string[]]>([
    [{}, ['a'], []],
    [{}, ['a', 'b'], [rules.room]],
    [{ maxUnavailable: 2 }, ['a', 'b'], []],
    [{ maxUnavailable: 2 }, ['a', 'b', 'c'], [rules.room]],
    [{ replicas: 3 }, ['a', 'b'], []],
    [{ replicas: 5 }, ['a'], [rules.room]],
  ])('in a pool with %j: %j', async (pool, names, expected) => {
    const court = await scene(pool);
    for (const name of names) {
      select(court, name);
      await court.pass(10);
    }
    expect(court.broken()).toEqual(expected);
  });

  test('beside one that a person selected, or whose update failed', async () => {
    const court = await scene();
    label(court, 'a', { [selectedLabel]: 'true' });
    await court.pass(10 * minuteMs);
    select(court, 'b');
    expect(court.broken()).toEqual([rules.room]);
  });

  test('that was updated by its agent alone, whatever else is under way', async () => {
    const court = await scene();
    select(court, 'a');
    label(court, 'b', { [resultLabel]: 'successful' });
    select(court, 'b');
    expect(court.broken()).toEqual([]);
  });

  test('once the one before is updated', async () => {
    const court = await scene();
    select(court, 'a');
    const conditions = [{ type: 'InPlaceUpdate', status: 'True', reason: 'UpdateSuccessful' }];
    const body = { status: { conditions } };
    court.target.patch('/api/v1/nodes/pool-1-a/status', { type: 'merge', body });
    await court.pass(10 * minuteMs);
    select(court, 'b');
    expect(court.broken()).toEqual([]);
  });

  test('of a machine that does not work, and not beside it', async () => {
    const court = await scene({}, { d: 'Unknown' });
    select(court, 'd');
    expect(court.broken()).toEqual([]);
    const other = await scene({}, { d: 'Unknown' });
    select(other, 'a');
    expect(other.broken()).toEqual([rules.room]);
  });

  test('not while a machine that moved is not available', async () => {
    const court = await scene({ maxUnavailable: 1 });
    label(court, 'd', { [resultLabel]: 'successful' });
    move(court, 'd');
    setPhase(court, 'd', 'Unknown');
    await court.pass(20 * minuteMs);
    select(court, 'a');
    expect(court.broken()).toEqual([rules.room]);
  });

  test.each([
    [{ paused: true }, [rules.time]],
    [{ strategy: { type: 'RollingUpdate' } }, [rules.time, rules.room]],
  ])('of a deployment with %j', async (spec, expected) => {
    const court = await scene({ maxUnavailable: 3, spec });
    select(court, 'a');
    expect(court.broken().toSorted()).toEqual(expected.slice(0, 1));
  });

  test('inside the windows of policies', async () => {
    const court = await scene();
    court.control.install('DisruptionPolicy');
    court.control.create(
      `/apis/millwright.dev/v1alpha1/namespaces/${namespace}/disruptionpolicies`,
      {
        apiVersion: 'millwright.dev/v1alpha1',
        kind: 'DisruptionPolicy',
        metadata: { name: 'nights', namespace },
        spec: { windows: [{ schedule: '0 22 * * *', duration: '1h' }] },
      },
    );
    await court.pass(30 * minuteMs);
    select(court, 'a');
    expect(court.broken()).toEqual([rules.closed]);
  });

  test('and then drained', async () => {
    const court = await scene();
    const cordon = (name: string): void =>
      court.write({
        method: 'PATCH',
        path: `/api/v1/nodes/pool-1-${name}`,
        in: 'target',
        body: { spec: { unschedulable: true } },
      });
    select(court, 'a');
    cordon('a');
    expect(court.broken()).toEqual([]);
    cordon('b');
    expect(court.broken()).toEqual([rules.drained]);
  });
});

describe('a machine moves', () => {
  test('when its Node is updated', async () => {
    const court = await scene();
    label(court, 'a', { [resultLabel]: 'successful' });
    move(court, 'a');
    expect(court.broken()).toEqual([]);
  });

  test.each<[string, (court: Courtroom) => void]>([
    ['before that', (court) => move(court, 'a')],
    [
      'after a failure',
      (court) => {
        label(court, 'a', { [resultLabel]: 'failed' });
        move(court, 'a');
      },
    ],
    [
      'while the agent works',
      (court) => {
        label(court, 'a', { [resultLabel]: 'successful' });
        setPhase(court, 'a', 'InPlaceUpdating');
        move(court, 'a');
      },
    ],
    [
      'without the labels of its set',
      (court) => {
        label(court, 'a', { [resultLabel]: 'successful' });
        move(court, 'a', { labels: {} });
      },
    ],
  ])('not %s', async (_when, act) => {
    const court = await scene();
    act(court);
    expect(court.broken()).toEqual([rules.move]);
  });

  test('to the set of the template alone', async () => {
    const court = await scene();
    put(court, '3', 0);
    label(court, 'a', { [resultLabel]: 'successful' });
    move(court, 'a', {
      labels: { hash: '3' },
      ownerReferences: ownerReference('MachineSet', 'pool-3'),
    });
    expect(court.broken()).toEqual([rules.move]);
  });
});

function resize({ write }: Courtroom, version: string, replicas: number): void {
  const path = pathTo('machinesets', `pool-${version}`);
  write({ method: 'PATCH', path, body: { spec: { replicas } } });
}

function remove({ write }: Courtroom, name: string): void {
  write({ method: 'DELETE', path: pathTo('machines', `pool-1-${name}`) });
}

function make({ write }: Courtroom, version: string): void {
  const body = {
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind: 'Machine',
    metadata: {
      name: 'pool-new',
      namespace,
      labels: { pool: 'a', hash: version },
      ownerReferences: ownerReference('MachineSet', `pool-${version}`),
    },
    spec: { class: { kind: 'MachineClass', name: 'small' } },
  };
  write({ method: 'POST', path: pathTo('machines'), body });
}

describe('the sets of a pool', () => {
  test('follow what has moved, and have no more for that', async () => {
    const court = await scene();
    label(court, 'a', { [resultLabel]: 'successful' });
    move(court, 'a');
    await court.pass(10 * minuteMs);
    resize(court, '2', 1);
    resize(court, '1', 3);
    expect(court.broken()).toEqual([]);
    resize(court, '2', 2);
    expect(court.broken()).toEqual([rules.surge]);
  });

  test('lose no machine for a rollout', async () => {
    const court = await scene();
    resize(court, '1', 3);
    await court.pass(10);
    remove(court, 'a');
    expect(court.broken()).toContain(rules.keeps);
  });

  test('lose those that are too many', async () => {
    const court = await scene({ replicas: 3, maxUnavailable: 3 });
    resize(court, '1', 3);
    await court.pass(10);
    remove(court, 'a');
    expect(court.broken()).toEqual([]);
    await court.pass(10 * minuteMs);
    resize(court, '1', 2);
    await court.pass(10);
    remove(court, 'b');
    expect(court.broken()).toContain(rules.keeps);
  });

  test('make what is missing, and no more', async () => {
    const court = await scene({ replicas: 5 });
    resize(court, '2', 1);
    await court.pass(10);
    make(court, '2');
    expect(court.broken()).toEqual([]);
    const full = await scene();
    full.control.patch(pathTo('machinesets', 'pool-2'), {
      type: 'merge',
      body: { spec: { replicas: 1 } },
    });
    await full.pass(10);
    make(full, '2');
    expect(full.broken()).toEqual([rules.makes]);
  });

  test('make none while they are closed', async () => {
    const court = await scene({ replicas: 5 });
    court.control.patch(pathTo('machinesets', 'pool-1'), {
      type: 'merge',
      body: { spec: { replicas: 5 } },
    });
    make(court, '1');
    expect(court.broken()).toContain(rules.made);
  });
});

describe('an update fails', () => {
  test('when the agent says so', async () => {
    const court = await scene({}, { a: 'InPlaceUpdating' });
    label(court, 'a', { [resultLabel]: 'failed' });
    setPhase(court, 'a', 'InPlaceUpdateFailed');
    expect(court.broken()).toEqual([]);
  });

  test('when its time is up, and not before', async () => {
    const court = await scene({}, { a: 'InPlaceUpdating' });
    setPhase(court, 'a', 'InPlaceUpdateFailed');
    setPhase(court, 'b', 'InPlaceUpdating');
    await court.pass(10 * minuteMs);
    expect(court.broken()).toEqual([]);
    setPhase(court, 'b', 'InPlaceUpdateFailed');
    expect(court.broken()).toEqual([rules.fails]);
  });

  test.each<[Record<string, string>, string[]]>([
    [{}, [rules.stop]],
    [{ 'millwright.dev/in-place-failure': 'replace' }, []],
    [{ 'millwright.dev/in-place-failure': 'stop' }, [rules.stop]],
  ])('and the machine with it, with %j', async (annotations, expected) => {
    const court = await scene({ annotations }, { a: 'InPlaceUpdateFailed' });
    setPhase(court, 'a', 'Failed');
    expect(court.broken()).toEqual(expected);
  });

  test('and the machine with it, as a person gives it up', async () => {
    const annotations = { 'millwright.dev/in-place-failure': 'stop' };
    const court = await scene({ annotations }, { a: 'InPlaceUpdating' });
    label(court, 'a', { [resultLabel]: 'failed' });
    setPhase(court, 'a', 'InPlaceUpdateFailed');
    setPhase(court, 'a', 'Failed: Its update in place was given up');
    expect(court.broken()).toEqual([]);
  });

  test.each(['InPlaceUpdating', 'InPlaceUpdateFailed'])('and not by health: %s', async (phase) => {
    const court = await scene({}, { a: phase, b: 'InPlaceUpdateSuccessful' });
    setPhase(court, 'b', 'Unknown');
    expect(court.broken()).toEqual([]);
    setPhase(court, 'a', 'Unknown');
    expect(court.broken()).toEqual([rules.judged]);
  });

  test.each([
    ['ReadyForUpdate', [rules.judged]],
    ['UpdateSuccessful', []],
    ['CandidateForUpdate', []],
  ])('and does not work again before it is over: %s', async (reason, expected) => {
    const court = await scene({}, { a: 'InPlaceUpdating' });
    const conditions = [{ type: 'InPlaceUpdate', status: 'True', reason }];
    const body = { status: { conditions } };
    court.target.patch('/api/v1/nodes/pool-1-a/status', { type: 'merge', body });
    await court.pass(20 * minuteMs);
    setPhase(court, 'a', 'Running');
    expect(court.broken()).toEqual(expected);
  });

  test('and the machine not before its health timeout is over', async () => {
    const annotations = { 'millwright.dev/in-place-failure': 'replace' };
    const court = await scene({ annotations }, { a: 'InPlaceUpdating', b: 'InPlaceUpdating' });
    label(court, 'a', { [resultLabel]: 'failed' });
    setPhase(court, 'a', 'InPlaceUpdateFailed');
    await court.pass(minuteMs);
    setPhase(court, 'a', 'Failed');
    setPhase(court, 'b', 'Failed');
    expect(court.broken()).toEqual([rules.early, rules.early]);
  });
});
