import { lease } from '../../../../kube/client/paths.ts';
import {
  anObject,
  aNode,
  beginStop,
  courtroom,
  minuteMs,
  namespace,
  ownerReference,
  pathTo,
  startRun,
  worker,
} from '../courtroom.ts';
import type { Courtroom } from '../courtroom.ts';

/** No controller writes a status in these tests. */
const ofStatus = 'a status follows its spec';
const providerID = 'local:///a/i-1';
const machine = { phase: 'Running', labels: { node: 'node-a' }, description: 'all is well' };

function withMachine(changes: Partial<typeof machine> & { metadata?: object; spec?: object } = {}) {
  const court = courtroom();
  const { phase, labels, description, metadata, spec } = { ...machine, ...changes };
  const status = { currentStatus: { phase }, lastOperation: { description, state: 'Processing' } };
  const fields = { metadata: { labels, ...metadata }, spec: { providerID, ...spec }, status };
  court.control.put(anObject('Machine', 'pool-a', fields));
  return court;
}

function nodeOf({ target }: Courtroom, readiness = 'True'): void {
  const conditions = [{ type: 'Ready', status: readiness }];
  target.put(Object.assign(aNode('node-a', providerID), { status: { conditions } }));
}

const isJudged = (rule: string): boolean => !rule.startsWith('every wait') && rule !== ofStatus;

async function brokenAfter(court: Courtroom, minutes: number): Promise<string[]> {
  await court.pass(minutes * minuteMs);
  return court.broken(true).filter(isJudged);
}

describe('a ready Node', () => {
  const rule = 'a Machine runs when its Node is ready';

  test.each(['Pending', 'Unknown'])('may not leave its Machine %s', async (phase) => {
    const court = withMachine({ phase });
    nodeOf(court);
    expect(await brokenAfter(court, 5)).toEqual([]);
    expect(await brokenAfter(court, 4)).toEqual([rule]);
  });

  test('says nothing of a Machine that shares its instance', async () => {
    const court = withMachine({ phase: 'Unknown' });
    court.control.put(anObject('Machine', 'copy', { spec: { providerID } }));
    nodeOf(court);
    expect(await brokenAfter(court, 9)).toEqual([]);
  });

  test('may leave its Machine Pending while a policy refuses writes to it', async () => {
    const court = withMachine({ phase: 'Pending' });
    nodeOf(court);
    refusePatches(court, 'shoot', '/api/v1/nodes/node-a');
    expect(await brokenAfter(court, 30)).toEqual([]);
  });

  test('is waited for as long as its API server is away', async () => {
    const court = withMachine({ phase: 'Unknown' });
    nodeOf(court);
    for (const cluster of court.world.clusters) cluster.isUp = false;
    expect(await brokenAfter(court, 30)).toEqual([]);
  });

  test('is waited for as long as Temporal has too much to do', async () => {
    const court = withMachine({ phase: 'Unknown' });
    nodeOf(court);
    const untilMs = court.world.simulation.now + 30 * minuteMs;
    court.world.weather.overload({ of: 'temporal', untilMs, longestMs: 4_000 });
    expect(await brokenAfter(court, 29)).toEqual([]);
    expect(await brokenAfter(court, 14)).toEqual(['a Machine runs when its Node is ready']);
  });
});

test('nothing is overdue while no worker asks for work', async () => {
  const court = withMachine({ phase: 'Unknown' });
  nodeOf(court);
  await court.pass(5 * minuteMs);
  court.world.temporal.engine.leave(worker, { wasKilled: true });
  expect(await brokenAfter(court, 60)).toEqual([]);
  void court.world.temporal.engine.workflowQueue('one').poll(worker);
  expect(await brokenAfter(court, 9)).toEqual(['a Machine runs when its Node is ready']);
});

describe('an ill Node', () => {
  test.each(['False', 'Unknown'])('whose Ready is %s shows on its Machine', async (readiness) => {
    const court = withMachine();
    nodeOf(court, readiness);
    expect(await brokenAfter(court, 9)).toEqual(['a Machine shows that its Node is ill']);
  });

  test('that is ready and whose kernel hangs shows on its Machine', async () => {
    const court = withMachine();
    const ready = { type: 'Ready', status: 'True' };
    const conditions = [ready, { type: 'KernelDeadlock', status: 'True' }];
    court.target.put(Object.assign(aNode('node-a', providerID), { status: { conditions } }));
    expect(await brokenAfter(court, 9)).toEqual(['a Machine shows that its Node is ill']);
  });

  test('is no matter while it is being deleted', async () => {
    const court = withMachine();
    nodeOf(court, 'False');
    const finalizers = ['example.com/keep'];
    court.target.patch('/api/v1/nodes/node-a', {
      type: 'merge',
      body: { metadata: { finalizers } },
    });
    court.target.delete('/api/v1/nodes/node-a', {});
    expect(await brokenAfter(court, 9)).toEqual([]);
  });

  test('says nothing of a Machine that names it by mistake', async () => {
    const court = withMachine({ spec: { providerID: 'local:///a/i-2' } });
    nodeOf(court, 'False');
    expect(await brokenAfter(court, 9)).toEqual([]);
  });

  test('is none where the Node that a user named by mistake is gone', async () => {
    const court = withMachine({ labels: { node: 'node-of-another' } });
    nodeOf(court);
    expect(await brokenAfter(court, 60)).toEqual([]);
  });

  test('is one where the instance has no Node', async () => {
    expect(await brokenAfter(withMachine(), 9)).toEqual(['a Machine shows that its Node is ill']);
  });

  test('is none where it is ready', async () => {
    const court = withMachine();
    nodeOf(court);
    expect(await brokenAfter(court, 60)).toEqual([]);
  });
});

const isGone = 'a Machine that is deleted goes';

/** While its Node is open. */
function withDrained(): Courtroom {
  const court = withMachine({
    phase: 'Terminating',
    metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
  });
  nodeOf(court);
  court.cloud.create({ providerID });
  return court;
}

function refusePatches({ world: { weather } }: Courtroom, cluster: string, pathPrefix: string) {
  const verdict = { code: 403, reason: 'Forbidden', message: 'denied' };
  weather.refuse({ method: 'PATCH', pathPrefix, cluster, untilMs: Infinity, verdict });
}

/** With two minutes for its drain, and a class that a driver can use. */
function withDeleted(fields: object = {}): Courtroom {
  const court = withMachine({
    phase: 'Terminating',
    metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
    spec: { drainTimeout: '2m', class: { name: 'small' } },
  });
  const machineClass = { provider: 'virtual', secretRef: { name: 'secret' }, ...fields };
  court.control.put(Object.assign(anObject('MachineClass', 'small'), machineClass));
  court.control.put({ ...anObject('Secret', 'secret'), apiVersion: 'v1' });
  court.cloud.create({ providerID });
  return court;
}

describe('a Machine', () => {
  const rule = 'a Machine that does not join fails';

  test.each(['', 'Pending', 'CrashLoopBackOff'])('that stays "%s" fails', async (phase) => {
    const court = withMachine({ phase, spec: { creationTimeout: '3m' } });
    expect(await brokenAfter(court, 30)).toContain(rule);
  });

  test('that goes is gone after the time for its drain', async () => {
    const court = withDeleted();
    expect(await brokenAfter(court, 9)).not.toContain(isGone);
    expect(await brokenAfter(court, 4)).toContain(isGone);
  });

  test.each([
    ['a driver that is not there', { provider: 'nowhere' }],
    ['a Secret that is not there', { secretRef: { name: 'missing' } }],
    ['a Secret of another namespace', { secretRef: { name: 'secret', namespace: 'kube-system' } }],
    ['other credentials of another', { credentialsSecretRef: { name: 's', namespace: 'other' } }],
  ])('whose class names %s cannot go', async (_what, fields) => {
    const court = withDeleted(fields);
    expect(await brokenAfter(court, 30)).not.toContain(isGone);
  });

  test('has more time for its drain where no worker was there', async () => {
    const court = withDeleted();
    court.world.temporal.engine.leave(worker, { wasKilled: true });
    await court.pass(10 * minuteMs);
    void court.world.temporal.engine.workflowQueue('one').poll(worker);
    expect(await brokenAfter(court, 9)).not.toContain(isGone);
    expect(await brokenAfter(court, 4)).toContain(isGone);
  });

  test('has more time for its drain where the Lease ended again and again', async () => {
    const court = withDeleted();
    const path = lease(namespace, 'millwright');
    for (let time = 0; time < 20; time += 1) {
      for (const holderIdentity of ['', 'one-watcher-1']) {
        court.control.patch(path, { type: 'merge', body: { spec: { holderIdentity } } });
        await court.pass(20_000);
      }
    }
    // In 800 s the Lease had no holder for 400 s; the 20 pauses began 15 s earlier each: 300 s.
    expect(await brokenAfter(court, 7)).not.toContain(isGone);
    expect(await brokenAfter(court, 4)).toContain(isGone);
  });

  test('has more time for its drain where the watcher did not hear of Temporal', async () => {
    const court = withDeleted();
    const { simulation, weather } = court.world;
    const untilMs = simulation.now + 10 * minuteMs;
    weather.cut({ process: 'one-watcher-1', to: 'temporal', untilMs, isSilent: true });
    await court.pass(10 * minuteMs);
    expect(await brokenAfter(court, 9)).not.toContain(isGone);
    expect(await brokenAfter(court, 4)).toContain(isGone);
  });

  test('has the time for its drain from when its control cluster was restored', async () => {
    const court = withDeleted();
    await court.pass(8 * minuteMs);
    court.world.weather.restored('seed');
    expect(await brokenAfter(court, 9)).not.toContain(isGone);
    expect(await brokenAfter(court, 4)).toContain(isGone);
  });

  test('cannot go while the cloud refuses its credentials', async () => {
    const court = withDeleted();
    court.cloud.refusesAll = true;
    expect(await brokenAfter(court, 20)).not.toContain(isGone);
    court.cloud.refusesAll = false;
    expect(await brokenAfter(court, 10)).toContain(isGone);
  });

  test('that is deleted says that its Node cannot be closed', async () => {
    expect(await brokenAfter(withDrained(), 9)).toContain('a drain that fails says so');
  });

  test('says so also where a webhook is the cause', async () => {
    const court = withDrained();
    refusePatches(court, 'shoot', '/api/v1/nodes/');
    expect(await brokenAfter(court, 9)).toContain('a drain that fails says so');
  });

  test('says nothing where it cannot be written', async () => {
    const court = withDrained();
    refusePatches(court, 'seed', pathTo('machines'));
    expect(await brokenAfter(court, 9)).not.toContain('a drain that fails says so');
  });
});

interface Failed {
  description?: string;
  /** Since then. */
  waitedMs?: number;
}

/** Failed once, some time after the class was put in, and waits for its next attempt. */
async function withFailed(
  fields: object,
  { description = 'no', waitedMs = minuteMs }: Failed = {},
): Promise<Courtroom> {
  const court = withDeleted(fields);
  startRun(court.world, 'machine/garden-one/pool-a', 'machine');
  askForWork(court);
  await court.pass(minuteMs);
  const lastUpdateTime = new Date(court.world.simulation.now).toISOString();
  const lastOperation = { description, state: 'Failed', lastUpdateTime };
  const body = { status: { lastOperation } };
  court.control.patch(`${pathTo('machines', 'pool-a')}/status`, { type: 'merge', body });
  await court.pass(waitedMs);
  return court;
}

/** Its first task is taken again and again, and has no answer. */
function askForWork({ world }: Pick<Courtroom, 'world'>): void {
  void world.temporal.engine.workflowQueue('one').poll(worker);
  world.simulation.after(5_000, () => askForWork({ world }));
}

function putRight({ control }: Courtroom): void {
  const body = { provider: 'virtual', secretRef: { name: 'secret', namespace: null } };
  control.patch(pathTo('machineclasses', 'small'), { type: 'merge', body });
}

describe('a Machine whose deletion failed for its class', () => {
  const rule = 'a mended class is heard of at once';

  const faults = [
    { provider: 'nowhere' },
    { secretRef: { name: 'missing' } },
    { secretRef: { name: 'secret', namespace: 'kube-system' } },
  ];

  test.each(faults)('with %j tries again when that is put right', async (fields) => {
    const court = await withFailed(fields);
    expect(await brokenAfter(court, 5)).not.toContain(rule);
    putRight(court);
    expect(await brokenAfter(court, 1)).not.toContain(rule);
    expect(await brokenAfter(court, 2)).toContain(rule);
  });

  test('has its time where it may have failed since, by a clock that is behind', async () => {
    const court = await withFailed({ provider: 'nowhere' }, { waitedMs: 20_000 });
    putRight(court);
    expect(await brokenAfter(court, 9)).not.toContain(rule);
  });

  test('has its time where it failed for something else', async () => {
    const court = await withFailed({});
    putRight(court);
    expect(await brokenAfter(court, 9)).not.toContain(rule);
  });

  test('has its time where the cloud refused its credentials, before and after', async () => {
    const court = await withFailed(
      { provider: 'nowhere' },
      { description: 'the credentials have expired' },
    );
    putRight(court);
    expect(await brokenAfter(court, 9)).not.toContain(rule);
  });

  test('does what it can where a call is under way', async () => {
    const court = await withFailed({ provider: 'nowhere' });
    const spec = { activityId: '1', activityType: 'deleteInstance', taskQueue: 'one' };
    const limits = { scheduleToCloseMs: 0, scheduleToStartMs: 0, heartbeatMs: 0 };
    const given = { args: [], headers: {}, startToCloseMs: 60 * minuteMs, retryPolicy: undefined };
    const workflow = court.world.temporal.engine.find('machine/garden-one/pool-a');
    workflow.startActivity(1, { ...spec, ...limits, ...given });
    putRight(court);
    expect(await brokenAfter(court, 9)).not.toContain(rule);
  });
});

function withSet(spec: object, changes: object = {}): Courtroom {
  const court = courtroom();
  court.control.put(anObject('MachineSet', 'set', { spec, ...changes }));
  return court;
}

describe('an owner', () => {
  test.each([
    [{}, ['a set gets its machines']],
    [{ freeze: 'True' }, []],
    [{ 'node.machine.sapcloud.io/scale-up-disabled': 'True' }, []],
  ])('a set with %j that has too few machines', async (labels, expected) => {
    const court = withSet({ replicas: 1 }, { metadata: { labels } });
    expect(await brokenAfter(court, 14)).toEqual(expected);
  });

  test('a set without a deployment replaces what has failed', async () => {
    const court = withSet({ replicas: 1 });
    const ownerReferences = ownerReference('MachineSet', 'set');
    const status = { currentStatus: { phase: 'Failed' } };
    court.control.put(anObject('Machine', 'pool-a', { metadata: { ownerReferences }, status }));
    expect(await brokenAfter(court, 15)).toEqual(['a Failed Machine is replaced']);
  });

  test('a set may put off for longer what never joined', async () => {
    const court = withSet({ replicas: 1 });
    const creationTimestamp = new Date(court.world.simulation.now).toISOString();
    const metadata = { ownerReferences: ownerReference('MachineSet', 'set'), creationTimestamp };
    const status = { currentStatus: { phase: 'Failed' }, lastOperation: { type: 'Create' } };
    court.control.put(anObject('Machine', 'pool-a', { metadata, status }));
    expect(await brokenAfter(court, 39)).toEqual([]);
    expect(await brokenAfter(court, 15)).toEqual(['a Failed Machine is replaced']);
  });

  test('a deployment grows while it is paused', async () => {
    const court = courtroom();
    const selector = { matchLabels: { pool: 'a' } };
    const spec = { replicas: 2, paused: true, selector, strategy: { type: 'RollingUpdate' } };
    court.control.put(anObject('MachineDeployment', 'pool', { spec }));
    const ownerReferences = ownerReference('MachineDeployment', 'pool');
    court.control.put(anObject('MachineSet', 'set', { metadata: { ownerReferences }, spec: {} }));
    expect(await brokenAfter(court, 14)).toContain('a deployment gets its machines');
  });

  const ofTemplate = { matchLabels: { pool: 'a' } };
  const held = { metadata: { annotations: { 'millwright.dev/rollout-after': '2030-01-01' } } };
  const going = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a'] };
  const tooSmall = ['a deployment gets its machines'];
  test.each([
    { fields: {}, spec: {}, hasSet: false, expected: tooSmall },
    {
      fields: {},
      spec: { strategy: { type: 'InPlaceUpdate' } },
      hasSet: false,
      expected: tooSmall,
    },
    { fields: {}, spec: { strategy: { type: 'Recreate' } }, hasSet: false, expected: [] },
    // Then it makes no set either.
    { fields: {}, spec: { paused: true }, hasSet: false, expected: [] },
    { fields: held, spec: {}, hasSet: false, expected: [] },
    { fields: {}, spec: {}, hasSet: true, expected: tooSmall },
    { fields: {}, spec: { paused: true }, hasSet: true, expected: [] },
  ])(
    'a deployment with $fields and $spec makes its first set, one that goes is there: $hasSet: $expected',
    async (one) => {
      const court = courtroom();
      const rolling = { replicas: 2, selector: ofTemplate, strategy: { type: 'RollingUpdate' } };
      const fields = { spec: { ...rolling, ...one.spec }, ...one.fields };
      court.control.put(anObject('MachineDeployment', 'pool', fields));
      const metadata = { ownerReferences: ownerReference('MachineDeployment', 'pool'), ...going };
      if (one.hasSet) court.control.put(anObject('MachineSet', 'set', { metadata, spec: {} }));
      expect(await brokenAfter(court, 14)).toEqual(one.expected);
    },
  );

  test.each([
    { what: 'PATCH', of: pathTo('machinesets', 'other'), code: 403, expected: [ofStatus] },
    { what: 'PATCH', of: `${pathTo('machinesets', 'set')}/status`, code: 403, expected: [] },
    { what: 'DELETE', of: pathTo('machines'), code: 403, expected: [ofStatus] },
    { what: 'DELETE', of: pathTo('machines'), code: 429, expected: [ofStatus] },
  ] as const)(
    'a status follows its spec while $what $of is refused with $code: $expected',
    async ({ what, of, code, expected }) => {
      const court = withSet({ replicas: 0 }, { metadata: { generation: 2 } });
      const verdict = { code, reason: 'Refused', message: 'denied' };
      const refusal = { method: what, pathPrefix: of, cluster: 'seed', verdict };
      court.world.weather.refuse({ ...refusal, untilMs: Infinity });
      await court.pass(8 * minuteMs);
      expect(court.broken(true).filter((rule) => rule === ofStatus)).toEqual(expected);
    },
  );

  const ofOld = { spec: { class: { name: 'old' } } };
  test.each([
    { what: 'an old set', template: ofOld, seen: 1, expected: [] },
    {
      what: 'an old set that has its size',
      template: ofOld,
      seen: 2,
      expected: ['a deployment gets its machines'],
    },
    {
      what: 'the only set',
      template: undefined,
      seen: 1,
      expected: ['a deployment gets its machines'],
    },
  ])(
    'a deployment whose status of $what is refused: $expected',
    async ({ template, seen, expected }) => {
      const court = courtroom();
      const spec = { replicas: 2, selector: ofTemplate, strategy: { type: 'RollingUpdate' } };
      court.control.put(anObject('MachineDeployment', 'pool', { spec }));
      const ownerReferences = ownerReference('MachineDeployment', 'pool');
      const status = { observedGeneration: seen, replicas: 1 };
      const fields = { metadata: { ownerReferences, generation: 2 }, spec: { template }, status };
      court.control.put(anObject('MachineSet', 'set', fields));
      const verdict = { code: 403, reason: 'Forbidden', message: 'denied' };
      const pathPrefix = `${pathTo('machinesets', 'set')}/status`;
      const refusal = { method: 'PATCH', pathPrefix, cluster: 'seed', verdict } as const;
      court.world.weather.refuse({ ...refusal, untilMs: Infinity });
      expect(await brokenAfter(court, 14)).toEqual(expected);
    },
  );

  test('a status follows its spec during a stop', async () => {
    const court = withSet({ replicas: 0 }, { metadata: { generation: 2 } });
    beginStop(court);
    await court.pass(8 * minuteMs);
    expect(court.broken(true)).toContain(ofStatus);
  });

  test('a deployment says what its sets say', async () => {
    const court = courtroom();
    court.control.put(anObject('MachineDeployment', 'pool', { spec: { replicas: 0 } }));
    const ownerReferences = ownerReference('MachineDeployment', 'pool');
    const machineSetCondition = [{ type: 'ReplicaFailure', status: 'True' }];
    const fields = { metadata: { ownerReferences }, status: { machineSetCondition } };
    court.control.put(anObject('MachineSet', 'set', fields));
    expect(await brokenAfter(court, 8)).toContain('a deployment says what its sets say');
  });
});
