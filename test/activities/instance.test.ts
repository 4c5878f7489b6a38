import { gzipSync } from 'node:zlib';
import type { Driver } from '../../activities/drivers/driver.ts';
import { beforeCreate } from '../../activities/drivers/before-create.ts';
import { DriverError, DriverPending } from '../../activities/drivers/driver.ts';
import type { AuditEntry } from '../../activities/runtime/audit.ts';
import { noteCloudRequest } from '../../activities/system/cloud-requests.ts';
import { customResource } from '../../kube/client/paths.ts';
import { createDriverActivities } from '../../activities/instance.ts';
import { finalizers } from '../../workflows/api/constants.ts';
import { contractVersion } from '../../workflows/contracts/driver-activities.ts';
import { aMachine, aMachineClass, aSecret } from '../support/builders.ts';
import { HandSystem } from '../support/hand-system.ts';
import { refusingDriver } from '../support/refusing-driver.ts';
import { aWorld } from '../support/world.ts';
import { driverRequest as request } from '../support/driver-request.ts';

const created = {
  providerID: 'local:///z/i',
  nodeName: 'pool-a',
  isInitialized: true,
  found: false,
};

const refuse = (): Promise<never> => Promise.reject(new Error('not asked for in this test'));

interface Surroundings {
  control: object[];
  target?: object[];
  signal?: AbortSignal | undefined;
  guard?: () => Promise<void>;
  isFirst?: boolean;
}

const clusters: Surroundings = { control: [aMachineClass(), aSecret()] };

function activities(changes: Partial<Driver>, surroundings = clusters) {
  return servedWorld(changes, surroundings).served;
}

function servedWorld(
  changes: Partial<Driver>,
  {
    signal = new AbortController().signal,
    guard = async () => undefined,
    isFirst = true,
    ...found
  }: Surroundings,
) {
  const driver = refusingDriver('not asked for in this test', {
    createInstance: async () => created,
    initializeInstance: async () => created,
    deleteInstance: async () => ({ found: true }),
    ...changes,
  });
  const view = {
    signal: () => signal,
    isShuttingDown: () => false,
    isFirstAttempt: () => isFirst,
  };
  const world = { ...aWorld(found), driver, ...view };
  return { control: world.control, served: createDriverActivities({ ...world, guard }) };
}

describe('a hook before the instance', () => {
  const hooked = aMachine({
    metadata: {
      deletionTimestamp: '2026-01-01T00:00:00Z',
      finalizers: [finalizers.machine],
      annotations: { 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/etcd': 'etcd-druid' },
    },
  });
  const control = [...clusters.control, hooked];

  test('keeps the driver from being asked', async () => {
    const { deleteInstance } = activities({ deleteInstance: refuse }, { control });
    expect(await deleteInstance(request)).toEqual({
      outcome: 'failed',
      failure: {
        code: 'Unavailable',
        message:
          'the instance is not deleted: The deletion of the instance waits for etcd (etcd-druid)',
        isSettled: false,
      },
      isHeld: true,
    });
  });

  test('comes too late for a deletion that the cloud is at work on', async () => {
    const { deleteInstance } = activities({}, { control });
    expect(await deleteInstance({ ...request, checkpoint: 'task-1' })).toMatchObject({
      outcome: 'deleted',
    });
  });
});

test.each<[string, Partial<Driver>, object]>([
  [
    'an instance',
    { describeInstance: async () => created },
    { outcome: 'found', instance: { providerID: 'local:///z/i', nodeName: 'pool-a' } },
  ],
  ['none', { describeInstance: async () => undefined }, { outcome: 'missing', settleSeconds: 30 }],
  [
    'several',
    {
      describeInstance: async () => {
        throw new DriverError({ code: 'OutOfRange', message: 'two', settled: false });
      },
    },
    { outcome: 'failed', failure: { code: 'OutOfRange', message: 'two' } },
  ],
  [
    'no answer',
    {
      describeInstance: async () => {
        throw new DriverError({ code: 'Unavailable', message: 'later', settled: false });
      },
    },
    { outcome: 'failed', failure: { code: 'Unavailable', message: 'later' } },
  ],
])('looking for an instance finds %s', async (_words, driver, expected) => {
  expect(await activities(driver).describeInstance(request)).toMatchObject(expected);
});

function failing(error: Error, signal?: AbortSignal) {
  const driver: Partial<Driver> = {
    async createInstance() {
      throw error;
    },
  };
  return activities(driver, { ...clusters, signal });
}

test('a classified error is an outcome, any other is for Temporal', async () => {
  const refused = new DriverError({ code: 'Internal', message: 'no', settled: true });
  expect(await failing(refused).createInstance(request)).toEqual({
    outcome: 'failed',
    failure: { code: 'Internal', message: 'no', isSettled: true },
  });
  await expect(failing(new Error('bug')).createInstance(request)).rejects.toThrow('bug');
});

test.each([
  { attempt: 'the first attempt', isFirst: true, says: { isUnsent: true } },
  { attempt: 'a later one, before which another may have sent it', isFirst: false, says: {} },
])('a create that was not sent says so in $attempt', async ({ isFirst, says }) => {
  const refused = new DriverError({ code: 'Unauthenticated', message: 'no', settled: false });
  const driver = { createInstance: () => beforeCreate(Promise.reject(refused)) };
  const { served } = servedWorld(driver, { ...clusters, isFirst });
  expect(await served.createInstance(request)).toEqual({
    outcome: 'failed',
    failure: { code: 'Unauthenticated', message: 'no', isSettled: false, ...says },
  });
});

test('only what we cancelled ourselves counts as cancelled', async () => {
  const error = new DriverError({ code: 'Canceled', message: 'enough', settled: false });
  const failure = { code: 'Canceled', message: 'enough', isSettled: false };
  expect(await failing(error).createInstance(request)).toEqual({ outcome: 'failed', failure });
  const cancelled = failing(error, AbortSignal.abort());
  expect(await cancelled.createInstance(request)).toEqual({
    outcome: 'failed',
    failure: { ...failure, wasCancelled: true },
  });
});

test('a failed initialization leaves the create unsettled', async () => {
  const refused = new DriverError({ code: 'Internal', message: 'no', settled: true });
  const { createInstance } = activities({
    createInstance: async () => ({ ...created, isInitialized: false }),
    initializeInstance: () => Promise.reject(refused),
  });
  expect(await createInstance(request)).toMatchObject({
    failure: { isSettled: false, during: 'initialization' },
  });
});

test('an instance is initialized where it needs that, by the providerID that it has', async () => {
  const asked: (string | undefined)[] = [];
  const steps = (isInitialized: boolean) =>
    activities({
      createInstance: async () => ({ ...created, isInitialized }),
      initializeInstance: async ({ providerID }) => {
        asked.push(providerID);
        return created;
      },
    });
  await steps(true).createInstance(request);
  expect(asked).toEqual([]);
  expect(await steps(false).createInstance(request)).toMatchObject({ outcome: 'created' });
  expect(asked).toEqual([created.providerID]);
});

test('a driver that knows no initialization is done', async () => {
  const code = 'Unimplemented';
  const { createInstance } = activities({
    createInstance: async () => ({ ...created, isInitialized: false }),
    initializeInstance: () => Promise.reject(new DriverError({ code, message: '', settled: true })),
  });
  expect(await createInstance(request)).toMatchObject({ outcome: 'created' });
});

describe('the bootstrap token', () => {
  const bootstrapTokenId = 'abc123';
  const userData = 'join <<BOOTSTRAP_TOKEN>>';
  const control = [aMachineClass(), aSecret({ userData })];
  const tokenSecret = aSecret(
    { 'token-secret': 'secret' },
    { name: `bootstrap-token-${bootstrapTokenId}`, namespace: 'kube-system' },
  );

  test('stands in the user data of a create', async () => {
    let seen: string | undefined;
    const createInstance: Driver['createInstance'] = async ({ userData: filled }) => {
      seen = filled;
      return created;
    };
    const steps = activities({ createInstance }, { control, target: [tokenSecret] });
    await steps.createInstance({ ...request, bootstrapTokenId });
    expect(seen).toBe('join abc123.secret');
  });

  test('is not looked for in user data that is not UTF-8, which the driver gets as it is', async () => {
    const packed = gzipSync('#cloud-config');
    const secret = { ...aSecret(), data: { userData: packed.toString('base64') } };
    const seen: unknown[] = [];
    const createInstance: Driver['createInstance'] = async ({ userData: text, userDataBytes }) => {
      seen.push(text, packed.equals(userDataBytes ?? Buffer.alloc(0)));
      return created;
    };
    const steps = activities({ createInstance }, { control: [aMachineClass(), secret] });
    await steps.createInstance(request);
    expect(seen).toEqual(['', true]);
  });

  /** As one whose create waited, perhaps for the end of a stop. */
  function tokenThatEndsIn(minutes: number) {
    const now = Date.now();
    const timeIn = (minutesFromNow: number) =>
      new Date(now + minutesFromNow * 60_000).toISOString();
    const data = { 'token-secret': 'secret', expiration: timeIn(minutes) };
    const creationTimestamp = timeIn(minutes - 20);
    return aSecret(data, { ...tokenSecret.metadata, creationTimestamp });
  }

  test.each([
    { name: 'in half of its time', minutes: 10, outcome: 'created' },
    { name: 'at its end, as its Node would be too late', minutes: 4, outcome: 'failed' },
    { name: 'at its end, of what goes on', minutes: 4, checkpoint: 'op-7', outcome: 'created' },
  ])('is of use $name: $outcome', async ({ minutes, outcome, checkpoint }) => {
    const steps = activities({}, { control, target: [tokenThatEndsIn(minutes)] });
    const asked = { ...request, bootstrapTokenId, ...(checkpoint && { checkpoint }) };
    expect(await steps.createInstance(asked)).toMatchObject({ outcome });
  });

  test('the bootstrap token that is gone is made again before the next create, with the same token: an earlier attempt may have used it', async () => {
    let creates = 0;
    const createInstance: Driver['createInstance'] = async () => {
      creates += 1;
      return created;
    };
    const steps = activities({ createInstance }, { control });
    expect(await steps.createInstance({ ...request, bootstrapTokenId })).toEqual({
      outcome: 'failed',
      failure: {
        code: 'Unavailable',
        message: expect.stringContaining('bootstrap token abc123'),
        isSettled: false,
        isUnsent: true,
      },
    });
    expect(creates).toBe(0);
  });

  test('is not asked for by a deletion', async () => {
    const steps = activities({}, { control });
    expect(await steps.deleteInstance({ ...request, bootstrapTokenId })).toMatchObject({
      outcome: 'deleted',
    });
  });
});

test('a deletion says what it found; without its class it fails in words', async () => {
  expect(await activities({}).deleteInstance(request)).toEqual({
    outcome: 'deleted',
    isFound: true,
    settleSeconds: 30,
  });
  expect(await activities({}, { control: [] }).deleteInstance(request)).toMatchObject({
    failure: { code: 'InvalidArgument', message: expect.stringContaining('"small"') },
  });
});

test('a deletion is refused while the Machine lives, and asks the driver for nothing', async () => {
  const living = aMachine({ metadata: { name: 'pool-a' } });
  const { deleteInstance } = activities(
    { deleteInstance: refuse },
    { control: [...clusters.control, living] },
  );
  expect(await deleteInstance(request)).toMatchObject({
    outcome: 'failed',
    failure: { code: 'FailedPrecondition' },
  });
});

test('a listed instance that a Machine has is not deleted', async () => {
  const { providerID } = created;
  const owner = aMachine({ metadata: { name: 'pool-b' }, spec: { providerID } });
  const { deleteListed } = activities(
    { deleteListed: refuse },
    { control: [...clusters.control, owner] },
  );
  const listed = {
    contractVersion,
    namespace: 'shoot',
    cluster: 'c',
    className: 'small',
    providerID,
  };
  expect(await deleteListed(listed)).toMatchObject({
    outcome: 'failed',
    failure: { code: 'FailedPrecondition' },
  });
});

test('a driver is told which instances other Machines have', async () => {
  const { providerID } = created;
  const owner = aMachine({ metadata: { name: 'pool-b' }, spec: { providerID } });
  const answers: unknown[] = [];
  const { createInstance } = activities(
    {
      async createInstance({ isClaimed }) {
        answers.push(await isClaimed(providerID), await isClaimed('local:///z/free'));
        return created;
      },
    },
    { control: [...clusters.control, owner] },
  );
  await createInstance(request);
  expect(answers).toEqual([true, false]);
});

test.each([
  ['is missing where another Machine has it', created.providerID, 'missing'],
  ['is a failure where no Machine has it', 'local:///z/other', 'failed'],
])('an instance that is refused as not ours %s', async (_words, claimed, outcome) => {
  const { providerID } = created;
  const other = aMachine({ metadata: { name: 'pool-b' }, spec: { providerID: claimed } });
  const { describeInstance } = activities(
    {
      async describeInstance() {
        throw new DriverError({ code: 'FailedPrecondition', message: 'not ours', settled: false });
      },
    },
    { control: [...clusters.control, other] },
  );
  expect(await describeInstance({ ...request, providerID })).toMatchObject({ outcome });
});

describe('the console of an instance', () => {
  const secret = aSecret({
    userData: '#!/bin/sh\njoin <<MACHINE_NAME>> s3cr3t',
    key: 'v4lue-of-key',
  });
  const control = [aMachineClass(), secret];

  test('comes without what the Secret holds, filled user data included', async () => {
    const { getConsoleOutput } = activities(
      { getConsoleOutput: async () => 'boot\n+ v4lue-of-key\njoin pool-a s3cr3t\u001B[0m\nend' },
      { control },
    );
    expect(await getConsoleOutput(request)).toEqual({
      outcome: 'read',
      text: 'boot\n+ [redacted]\n[redacted]\nend',
    });
  });

  test('is not to be had from a driver that does not offer it', async () => {
    const { getConsoleOutput } = activities({});
    expect(await getConsoleOutput(request)).toMatchObject({
      outcome: 'failed',
      failure: { code: 'Unimplemented', message: expect.stringContaining('console') },
    });
  });

  test('is waited for 8 seconds', async () => {
    const system = new HandSystem();
    const { getConsoleOutput } = activities({
      getConsoleOutput: async ({ signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        throw new DriverError({ code: 'Canceled', message: 'cancelled', settled: false });
      },
    });
    let isOver = false;
    const reading = system
      .run(() => getConsoleOutput(request))
      .finally(() => {
        isOver = true;
      });
    await system.to(7_999);
    expect(isOver).toBe(false);
    await system.to(8_000);
    expect(await reading).toMatchObject({
      outcome: 'failed',
      failure: { code: 'DeadlineExceeded', message: 'no answer within 8 s' },
    });
  });
});

test('the volumes of a driver are handed on', async () => {
  const { volumeIds } = activities({ volumeIds: async (specs) => specs.map(() => 'vol-1') });
  expect(await volumeIds({ contractVersion, volumes: [{}, {}] })).toEqual({
    volumeIds: ['vol-1', 'vol-1'],
  });
});

describe('a class that changed since it was read', () => {
  const edited = { size: 'large' };

  async function specsSeen(
    call: (served: ReturnType<typeof activities>) => Promise<unknown>,
  ): Promise<unknown[]> {
    const specs: unknown[] = [];
    const see = ({ providerSpec }: { providerSpec: unknown }) => {
      specs.push(providerSpec);
    };
    const changes: Partial<Driver> = {
      async createInstance(seen) {
        see(seen);
        return created;
      },
      async describeInstance(seen) {
        see(seen);
        return created;
      },
      async listInstances(seen) {
        see(seen);
        return [];
      },
      async deleteListed(seen) {
        see(seen);
        return { found: true };
      },
    };
    const world = servedWorld(changes, clusters);
    await world.served.createInstance(request);
    const path = customResource('machineclasses', 'shoot', 'small');
    await world.control.patch(path, 'merge', { providerSpec: edited });
    await call(world.served);
    return specs.slice(1);
  }

  const listed = { contractVersion, namespace: 'shoot', cluster: 'c', className: 'small' };
  test.each<[string, (served: ReturnType<typeof activities>) => Promise<unknown>]>([
    ['describeInstance', (served) => served.describeInstance(request)],
    ['listInstances', (served) => served.listInstances(listed)],
    ['deleteListed', (served) => served.deleteListed({ ...listed, providerID: 'local:///z/x' })],
  ])('is read anew by %s', async (_activity, call) => {
    expect(await specsSeen(call)).toEqual([edited]);
  });
});

describe('what a failure is made of', () => {
  test('the kind of a fault, so that somebody can say on the class that its credentials are refused', async () => {
    const kind = 'credentials';
    const refused = new DriverError({
      code: 'Unauthenticated',
      kind,
      message: 'no',
      settled: true,
    });
    expect(await failing(refused).createInstance(request)).toEqual({
      outcome: 'failed',
      failure: { code: 'Unauthenticated', kind, message: 'no', isSettled: true },
    });
  });

  test('no driver is asked for a class with a Secret of another namespace', async () => {
    const credentialsSecretRef = { name: 'small-secret', namespace: 'garden' };
    const control = [aMachineClass({ credentialsSecretRef }), aSecret()];
    const steps = activities({ createInstance: refuse, deleteInstance: refuse }, { control });
    const failure = {
      code: 'InvalidArgument',
      message: expect.stringContaining('credentialsSecretRef.namespace: "garden" is not allowed'),
    };
    expect(await steps.createInstance(request)).toMatchObject({ failure });
    expect(await steps.deleteInstance(request)).toMatchObject({ failure });
    const account = { contractVersion, namespace: 'shoot', className: 'small', cluster: 'c' };
    expect(await steps.listInstances(account)).toMatchObject({ failure });
    expect(await steps.validateClass(account)).toEqual({ outcome: 'validated', faults: [] });
  });

  test('has the warnings of its driver, if there are any', async () => {
    const account = { contractVersion, namespace: 'shoot', className: 'small' };
    const steps = activities({ warnings: () => ['siz is ignored'] });
    expect(await steps.validateClass(account)).toEqual({
      outcome: 'validated',
      faults: [],
      warnings: ['siz is ignored'],
    });
  });
});

/** The activities, and what they log. */
function logged(changes: Partial<Driver>) {
  const entries: AuditEntry[] = [];
  const driver = refusingDriver('not asked for in this test', changes);
  const { signal } = new AbortController();
  const view = { signal: () => signal, isShuttingDown: () => false, guard: async () => {} };
  const audit = (entry: AuditEntry): number => entries.push(entry);
  const deleted = aMachine({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
  const world = { ...aWorld({ control: [aMachineClass(), aSecret(), deleted] }), driver, audit };
  return { entries, ...createDriverActivities({ ...world, ...view }) };
}

describe('the log', () => {
  test.each([
    { found: false, verb: 'createInstance' },
    { found: true, verb: 'adoptInstance' },
  ])('has a line of an instance whose found is $found', async ({ found, verb }) => {
    const { entries, createInstance } = logged({
      async createInstance() {
        noteCloudRequest('look', false);
        noteCloudRequest('run', true);
        noteCloudRequest('look-again', false);
        return { ...created, found };
      },
    });
    await createInstance(request);
    const { providerID, nodeName } = created;
    const object = `Machine ${request.machine.namespace}/pool-a`;
    const { uid } = request.machine;
    const durationMs: unknown = expect.any(Number);
    const known = { object, uid, providerID, nodeName, requestId: 'run', durationMs };
    expect(entries).toEqual([{ verb, ...known }]);
  });

  test('has one of a request that the cloud took, with its id, and none of a further wait', async () => {
    let isFirst = true;
    const { entries, deleteInstance } = logged({
      async deleteInstance() {
        noteCloudRequest(isFirst ? 'terminate' : 'look', isFirst);
        isFirst = false;
        throw new DriverPending({ message: 'shutting down', pollAfterSeconds: 5 });
      },
    });
    await deleteInstance(request);
    await deleteInstance(request);
    expect(entries).toMatchObject([{ verb: 'requestDeletion', requestId: 'terminate' }]);
  });

  test('has none of a create that failed', async () => {
    const { entries, createInstance } = logged({
      async createInstance() {
        noteCloudRequest('run', true);
        throw new DriverError({ code: 'Internal', message: 'no', settled: true });
      },
    });
    await createInstance(request);
    expect(entries).toEqual([]);
  });
});
