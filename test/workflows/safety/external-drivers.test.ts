/** The search for orphans at a driver that serves nothing but the port. */
import type { DescribeOutcome, ListOutcome } from '../../../workflows/contracts/driver-contract.ts';
import type {
  EvaluatedListing,
  OrphanCheck,
} from '../../../workflows/contracts/safety-activities.ts';
import { contractVersion } from '../../../workflows/contracts/driver-activities.ts';
import type { Suspect } from '../../../workflows/plan/safety/orphan-sweep.ts';
import type { OrphanReport } from '../../../workflows/safety/orphans.ts';
import { distinct } from '../../../workflows/safety/external-drivers.ts';
import { CallLog, type Steps } from '../../support/call-log.ts';
import { TemporalForTests } from '../../support/temporal.ts';

const temporal = TemporalForTests.ofFile();

const suspect: Suspect = {
  providerID: 'i-1',
  machineName: 'gone',
  because: 'noMachine',
  provider: 'virtual',
  className: 'small',
};
const instances = [{ providerID: 'i-1', machineName: 'gone' }];
const found: EvaluatedListing = {
  listing: {
    provider: 'virtual',
    className: 'small',
    classCount: 1,
    kept: {},
    suspects: [suspect],
    omitted: 0,
  },
  machines: 30,
  unlisted: [],
};

interface Driver {
  lists?: 'not served' | (() => Promise<ListOutcome>);
  describes?: () => Promise<DescribeOutcome>;
}

/** The e2e test of the Python driver has what a second run deletes. */
async function firstRun(
  name: string,
  judged: EvaluatedListing,
  { lists = async () => ({ outcome: 'listed', instances }), describes }: Driver = {},
): Promise<{ log: CallLog; report: OrphanReport }> {
  const log = new CallLog();
  const kube = log.record<Partial<Steps>>({
    findProviders: async () => [{ provider: 'virtual', classNames: ['small'] }],
    evaluateListings: async () => [judged],
    signalMissingInstances: async () => {},
  });
  const driver = log.record<Partial<Steps>>({
    volumeIds: async () => ({ volumeIds: [] }),
    ...(lists !== 'not served' && { listInstances: lists }),
    ...(describes && { describeInstance: describes }),
  });
  const rules = { mode: 'delete', maxDeletions: 2, minAgeSeconds: 600 } as const;
  const input: OrphanCheck = { namespace: name, cluster: 'c', ...rules };
  return await temporal.withWorkers(name, { kube, driver }, async () => {
    const report: OrphanReport = await temporal.client.workflow.execute('safetyOrphans', {
      taskQueue: name,
      workflowId: name,
      args: [input],
    });
    return { log, report };
  });
}

test('an external driver lists for each class, and the core evaluates the listing', async () => {
  const { log, report } = await firstRun('lists', found);
  expect(report).toMatchObject({ suspected: 1, suspects: [{ providerID: 'i-1' }], errors: [] });
  expect(log.inputsOf('listInstances')).toEqual([
    { contractVersion, namespace: 'lists', cluster: 'c', className: 'small' },
  ]);
  expect(log.inputsOf('evaluateListings')).toEqual([
    {
      namespace: 'lists',
      provider: 'virtual',
      minAgeSeconds: 600,
      listings: [{ className: 'small', instances }],
    },
  ]);
});

const listing = (className: string, from: number, count: number) => ({
  className,
  instances: Array.from({ length: count }, (_, index) => ({
    providerID: `i-${from + index}`,
    machineName: 'a',
  })),
});

test('an instance that several classes list is evaluated once, and too many are an error', () => {
  const listings = distinct([listing('a', 0, 2), listing('b', 1, 2), listing('c', 3, 4_998)]);
  expect(listings.map(({ instances: { length }, error = '' }) => `${length} ${error}`)).toEqual([
    '2 ',
    '1 ',
    '0 more than 5000 instances: too many for a driver that is not built in',
  ]);
});

test.each([
  {
    name: 'a failure',
    lists: async (): Promise<ListOutcome> => ({
      outcome: 'failed',
      failure: { code: 'Unauthenticated', message: 'who is it?', isSettled: true },
    }),
    says: 'Unauthenticated: who is it?',
  },
  {
    name: 'nonsense',
    lists: async (): Promise<ListOutcome> => JSON.parse('{"outcome": "listed", "instances": [5]}'),
    says: 'the driver of provider "virtual" answered listInstances with instances: ',
  },
])(
  '$name of an external driver instead of a listing is handed on as an error',
  async ({ name, lists, says }) => {
    const { log } = await firstRun(name.replaceAll(' ', '-'), found, { lists });
    expect(log.inputsOf('evaluateListings')).toMatchObject([
      { listings: [{ instances: [], error: expect.stringContaining(says) }] },
    ]);
  },
);

test('a driver that does not list is an error, said at once', async () => {
  const { log } = await firstRun('lacking', found, { lists: 'not served' });
  expect(log.inputsOf('evaluateListings')).toMatchObject([
    { listings: [{ error: expect.stringContaining('listInstances is not registered') }] },
  ]);
});

const now = Date.now();
const machine = (name: string, createdAt: number) => ({
  name,
  uid: `uid-of-${name}`,
  providerID: `i-${name}`,
  createdAt,
});

test('an external driver is asked for instances that it did not list; too young ones are not missing', async () => {
  const unlisted = [machine('old', now - 600_000), machine('young', now)];
  const { log, report } = await firstRun(
    'missing',
    { ...found, unlisted },
    { describes: async () => ({ outcome: 'missing', settleSeconds: 300 }) },
  );
  expect(report.missing).toMatchObject({ total: 1, machines: [{ name: 'old' }] });
  expect(log.inputsOf('describeInstance')).toContainEqual({
    contractVersion,
    machine: { namespace: 'missing', name: 'old', uid: 'uid-of-old' },
    cluster: 'c',
    className: 'small',
    provider: 'virtual',
    token: 'uid-of-old-0',
    providerID: 'i-old',
    isRetry: true,
  });
});
