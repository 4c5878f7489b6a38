import { createClassReader } from '../../../../activities/machine-class/reader.ts';
import type {
  Driver,
  Instance,
  ListedInstance,
  ListRequest,
} from '../../../../activities/drivers/driver.ts';
import { DriverError } from '../../../../activities/drivers/driver.ts';
import { namespaced } from '../../../../kube/client/paths.ts';
import { deleteOrphan } from '../../../../activities/safety/orphans/delete-orphan.ts';
import { checkFinally } from '../../../../activities/safety/orphans/final-check.ts';
import { findOrphans } from '../../../../activities/safety/orphans/find-orphans.ts';
import { findProviders, reportOrphans } from '../../../../activities/safety/orphans/classes.ts';
import type { Suspect } from '../../../../workflows/plan/safety/orphan-sweep.ts';
import { aMachine, aMachineClass, aSecret, namespace } from '../../../support/builders.ts';
import { InMemoryClient } from '../../../support/api-server/in-memory-client.ts';

const cluster = 'cluster-1';
const { signal } = new AbortController();
const refused = new DriverError({ code: 'PermissionDenied', message: 'no', settled: true });
const suspect: Suspect = {
  providerID: 'local:///z/i-1',
  machineName: 'gone',
  token: 'uid-of-gone-0',
  because: 'noMachine',
  provider: 'virtual',
  className: 'small',
};

const aClass = (name: string, secret: string, providerSpec: Record<string, unknown> = {}) =>
  aMachineClass({ metadata: { name }, secretRef: { name: secret, namespace }, providerSpec });

const credentials = (name: string, key: string, userData = '') =>
  aSecret({ key, userData }, { name });

const refuse = (): Promise<never> => Promise.reject(new Error('not asked for in this test'));

const joined = (name: string, providerID: string) =>
  aMachine({
    phase: 'Running',
    metadata: { name },
    spec: { class: { kind: 'MachineClass', name: 'small' }, providerID },
  });

describe('a look', () => {
  interface Cloud {
    instances?: ListedInstance[];
    /** Credentials that are refused. */
    refuses?: string;
    /** What it says of one of them. Default: it knows none. */
    describes?: (providerID: string) => Promise<Instance | undefined>;
    /** providerIDs that the run before suspected. */
    suspects?: string[];
  }

  type LookDriver = Pick<
    Driver,
    'listInstances' | 'listScope' | 'describeInstance' | 'settleSeconds'
  >;

  function lookAt(
    control: InMemoryClient,
    {
      instances = [],
      refuses = 'mallory',
      describes = async () => undefined,
      suspects,
    }: Cloud = {},
  ) {
    const asked: (string | undefined)[] = [];
    const driver: LookDriver = {
      settleSeconds: 30,
      describeInstance: async ({ providerID = '' }) => {
        asked.push(providerID);
        return describes(providerID);
      },
      listScope: (spec) => String(Object(spec).region),
      async listInstances({ secret, providerSpec }: ListRequest) {
        asked.push(`${secret['key']} ${String(Object(providerSpec).region)}`);
        if (secret['key'] === refuses) throw refused;
        return instances;
      },
    };
    const request = {
      namespace,
      cluster,
      provider: 'virtual',
      minAgeSeconds: 60,
      ...(suspects && { suspects }),
    };
    const listings = findOrphans({ driver, control, signal: () => signal }, request);
    return { asked, listings };
  }

  test('lists once for each credential and scope, however many classes and Secrets there are', async () => {
    const control = new InMemoryClient(
      aClass('a', 's-1', { region: 'r-1' }),
      aClass('b', 's-1', { region: 'r-1' }),
      aClass('c', 's-2', { region: 'r-1' }),
      aClass('d', 's-2', { region: 'r-2' }),
      aClass('e', 's-3', { region: 'r-1' }),
      aMachineClass({ metadata: { name: 'f' }, provider: 'other' }),
      credentials('s-1', 'alice', 'one'),
      credentials('s-2', 'alice', 'two'),
      credentials('s-3', 'bob'),
    );
    const { asked, listings } = lookAt(control);
    expect((await listings).map(({ className, classCount }) => [className, classCount])).toEqual([
      ['a', 3],
      ['d', 1],
      ['e', 1],
    ]);
    expect(asked).toEqual(['alice r-1', 'alice r-2', 'bob r-1']);
    const reads = control.calls.filter((call) => call.includes('/secrets/'));
    expect(reads).toEqual(
      ['s-1', 's-2', 's-3'].map((s) => `GET ${namespaced('secrets', namespace, s)}`),
    );
  });

  test('says what no Machine knows of, and reads the Machines after the instances', async () => {
    const control = new InMemoryClient(aMachineClass(), aSecret(), aMachine());
    const instances = [
      { providerID: 'local:///z/i-0', machineName: 'pool-a', token: 'uid-of-pool-a-0' },
      { providerID: 'local:///z/i-1', machineName: 'gone', token: 'uid-of-gone-0', createdAt: 0 },
      { providerID: 'local:///z/i-2', machineName: 'young', createdAt: Date.now() },
    ];
    expect(await lookAt(control, { instances }).listings).toEqual([
      {
        provider: 'virtual',
        className: 'small',
        classCount: 1,
        kept: { creating: 1, young: 1 },
        suspects: [suspect],
        omitted: 0,
        owned: 0,
      },
    ]);
    expect(control.calls.at(-1)).toContain('/machines');
  });

  test('names the instances that the run before suspected and that have a Machine again', async () => {
    const control = new InMemoryClient(aMachineClass(), aSecret(), aMachine());
    const instances = [
      { providerID: 'local:///z/i-0', machineName: 'pool-a', token: 'uid-of-pool-a-0' },
      { providerID: 'local:///z/i-1', machineName: 'gone', token: 'uid-of-gone-0' },
    ];
    const suspects = ['local:///z/i-0', 'local:///z/i-1', 'local:///z/not-listed'];
    expect(await lookAt(control, { instances, suspects }).listings).toMatchObject([
      { suspects: [{ providerID: 'local:///z/i-1' }], cleared: ['local:///z/i-0'] },
    ]);
  });

  test('is not stopped by a credential that is refused or missing', async () => {
    const control = new InMemoryClient(
      aClass('a', 's-1'),
      aClass('b', 's-2'),
      aClass('c', 'nowhere'),
      credentials('s-1', 'alice'),
      credentials('s-2', 'bob'),
    );
    const instances = [{ providerID: 'local:///z/i-1', machineName: 'gone' }];
    const listings = await lookAt(control, { instances, refuses: 'alice' }).listings;
    expect(listings.map(({ error, suspects }) => [error, suspects.length])).toEqual([
      ['PermissionDenied: no', 0],
      [undefined, 1],
      [`secretRef.name: Secret "nowhere" does not exist in namespace ${namespace}`, 0],
    ]);
  });

  describe('asks for instances of Machines that are not listed', () => {
    const objects = [aMachineClass(), aSecret(), joined('there', 'x/i-0'), joined('lost', 'x/i-1')];
    const instances = [{ providerID: 'x/i-0', machineName: 'there' }];

    test('asks for instances of Machines that are not listed and says which the cloud does not know', async () => {
      const { asked, listings } = lookAt(new InMemoryClient(...objects), { instances });
      const missing = [{ name: 'lost', uid: 'uid-of-lost', providerID: 'x/i-1' }];
      expect(await listings).toMatchObject([{ missing: { machines: 2, unlisted: 1, missing } }]);
      expect(asked).toHaveLength(2);
    });

    test.each<[string, () => Promise<Instance | undefined>]>([
      ['knows', async () => ({ providerID: 'x/i-1', nodeName: 'lost', isInitialized: true })],
      ['says nothing of', () => Promise.reject(refused)],
    ])('but not one that it %s', async (_words, describes) => {
      const { listings } = lookAt(new InMemoryClient(...objects), { instances, describes });
      expect((await listings)[0]).not.toHaveProperty('missing');
    });
  });

  test('hands on no more than a history can take', async () => {
    const instances = Array.from({ length: 250 }, (_, index) => ({
      providerID: `local:///z/i-${index}`,
      machineName: `m-${index}`,
    }));
    const control = new InMemoryClient(aMachineClass(), aSecret());
    const [listing] = await lookAt(control, { instances }).listings;
    expect(listing?.suspects).toHaveLength(200);
    expect(listing?.omitted).toBe(50);
  });
});

const deletionTimestamp = '2026-01-01T01:00:00Z';
const sibling = (metadata: object = {}) =>
  aMachineClass({ metadata: { name: 'large', ...metadata } });

describe('the last look before a class is let go', () => {
  const listed = [
    { providerID: 'local:///z/i-0', machineName: 'pool-a' },
    { providerID: 'local:///z/i-1', machineName: 'gone' },
  ];

  function finalCheck(...objects: object[]) {
    const driver = { listScope: () => '', listInstances: async () => listed };
    const world = { driver, control: new InMemoryClient(...objects), signal: () => signal };
    return checkFinally(world, { namespace, cluster, provider: 'virtual', className: 'small' });
  }

  test('finds what has no Machine', async () => {
    const found = await finalCheck(aMachineClass(), aSecret(), aMachine());
    expect(found).toEqual({ left: 1, examples: ['local:///z/i-1'] });
  });

  test('is for the last class with these credentials only', async () => {
    const found = await finalCheck(aMachineClass(), sibling(), aSecret());
    expect(found).toEqual({ left: 0, examples: [] });
  });

  test('does not count on a class that goes as well', async () => {
    const found = await finalCheck(aMachineClass(), sibling({ deletionTimestamp }), aSecret());
    expect(found.left).toBe(2);
  });
});

describe('a deletion', () => {
  function deletion(objects: object[], deleteListed: Driver['deleteListed']) {
    const control = new InMemoryClient(...objects);
    const classes = createClassReader({ client: control, namespace });
    const parts = { driver: { deleteListed }, control, classes };
    const world = { ...parts, signal: () => signal, audit: () => {} };
    return deleteOrphan(world, { namespace, cluster, suspect });
  }

  test.each([
    { found: true, outcome: 'deleted' },
    { found: false, outcome: 'gone' },
  ])('found: $found', async ({ found, outcome }) => {
    const asked: string[] = [];
    const end = await deletion([aMachineClass(), aSecret()], async ({ providerID }) => {
      asked.push(providerID);
      return { found };
    });
    expect(end).toEqual({ outcome });
    expect(asked).toEqual([suspect.providerID]);
  });

  test.each([
    { because: 'claimed', machine: aMachine({ spec: { providerID: suspect.providerID } }) },
    { because: 'creating', machine: aMachine({ metadata: { name: 'gone' } }) },
  ])('does not happen when a Machine came meanwhile: $because', async ({ because, machine }) => {
    const end = await deletion([aMachineClass(), aSecret(), machine], refuse);
    expect(end).toEqual({ outcome: 'kept', because });
  });

  test('does not happen without the class that has the credentials', async () => {
    expect(await deletion([], refuse)).toMatchObject({ outcome: 'kept' });
  });

  test('a deletion that the cloud refuses is reported', async () => {
    const end = await deletion([aMachineClass(), aSecret()], () => Promise.reject(refused));
    expect(end).toEqual({ outcome: 'failed', message: 'PermissionDenied: no' });
  });
});

test('providers are those of the classes', async () => {
  const control = new InMemoryClient(
    aMachineClass({ metadata: { name: 'a' }, provider: 'b' }),
    aMachineClass({ metadata: { name: 'b' }, provider: 'a' }),
    aMachineClass({ metadata: { name: 'c' }, provider: 'b' }),
    aMachineClass({ metadata: { name: 'd' }, provider: '' }),
  );
  expect(await findProviders(control, { namespace })).toEqual([
    { provider: 'a', classNames: expect.arrayContaining([expect.any(String)]) },
    { provider: 'b', classNames: expect.arrayContaining([expect.any(String)]) },
  ]);
});

test('Events stand on the class, as long as it is there', async () => {
  const control = new InMemoryClient(aMachineClass());
  const stopped = { className: 'small', message: 'too many' };
  const deleted = [suspect, { ...suspect, className: 'elsewhere' }];
  await reportOrphans(control, { namespace, deleted, stopped });
  expect(control.bodies).toMatchObject([
    {
      reason: 'DeletedOrphan',
      message: 'Deleted instance local:///z/i-1: there is no Machine gone',
      involvedObject: { kind: 'MachineClass', name: 'small', uid: 'uid-of-small' },
    },
    { type: 'Warning', reason: 'TooManyOrphans', message: 'too many' },
  ]);
});
