import { aNode, anObject, courtroom, minuteMs, ownerReference } from '../courtroom.ts';
import type { Courtroom } from '../courtroom.ts';

const prefix = 'node.machine.sapcloud.io';
const labelled =
  (name: string) =>
  (value: string): Record<string, string> => ({ [`${prefix}/${name}`]: value });
const candidate = labelled('candidate-for-update');
const selected = labelled('selected-for-update');
const result = labelled('update-result');
const [getsOn, isOpen] = ['an update in place gets on', 'a Node is open again after its update'];

interface Stage {
  phase?: string;
  reason?: string;
  labels?: Record<string, string>;
  /** Version of the template of its set; that of the deployment is 2. */
  version?: string;
  /** Of the Machine. */
  marks?: Record<string, string>;
  spec?: object;
}

const templateOf = (version: string) => ({
  metadata: { labels: { version } },
  spec: { class: { kind: 'MachineClass', name: 'small' } },
});

function put({
  phase = 'Running',
  reason,
  labels = {},
  version = '1',
  marks,
  spec,
}: Stage): Courtroom {
  const court = courtroom();
  court.control.put(
    anObject('MachineDeployment', 'pool', {
      spec: {
        replicas: 1,
        strategy: { type: 'InPlaceUpdate' },
        selector: { matchLabels: { pool: 'a' } },
        template: templateOf('2'),
        ...spec,
      },
    }),
  );
  const ofDeployment = ownerReference('MachineDeployment', 'pool');
  court.control.put(
    anObject('MachineSet', 'set', {
      metadata: { ownerReferences: ofDeployment },
      spec: { replicas: 1, template: templateOf(version) },
    }),
  );
  const { providerID } = court.cloud.create();
  const lastUpdateTime = '2026-01-01T00:00:00Z';
  court.control.put(
    anObject('Machine', 'pool-a', {
      metadata: {
        labels: { node: 'node-a', ...marks },
        ownerReferences: ownerReference('MachineSet', 'set'),
      },
      spec: { providerID, inPlaceUpdateTimeout: '10m' },
      status: { currentStatus: { phase, lastUpdateTime }, lastOperation: { description: 'works' } },
    }),
  );
  const { metadata, ...node } = aNode('node-a', providerID);
  const condition = { type: 'InPlaceUpdate', status: 'True', reason };
  const conditions = [
    { type: 'Ready', status: 'True' },
    ...(reason === undefined ? [] : [condition]),
  ];
  court.target.put(
    Object.assign(node, { metadata: { ...metadata, labels }, status: { conditions } }),
  );
  return court;
}

async function brokenAfter(court: Courtroom, minutes: number): Promise<string[]> {
  await court.pass(minutes * minuteMs);
  return court.broken(true).filter((rule) => [getsOn, isOpen].includes(rule));
}

const chosen = { ...candidate('true'), ...selected('true') };
const successful = { ...chosen, ...result('successful') };

test.each<[string, Stage]>([
  ['is selected', { labels: chosen, reason: 'CandidateForUpdate' }],
  ['is drained', { labels: chosen, reason: 'DrainSuccessful' }],
  ['is answered', { labels: successful, reason: 'ReadyForUpdate' }],
  ['is updated', { labels: successful, reason: 'UpdateSuccessful' }],
  ['is ready again', { phase: 'InPlaceUpdateSuccessful', reason: 'UpdateSuccessful' }],
  ['has moved', { marks: result('successful'), version: '2' }],
])('a machine that %s waits no longer than some minutes', async (_what, stage) => {
  const court = put(stage);
  expect(await brokenAfter(court, 6)).toEqual([]);
  expect(await brokenAfter(court, 4)).toEqual([getsOn]);
});

test('the time of an agent ends', async () => {
  const court = put({ phase: 'InPlaceUpdating', reason: 'ReadyForUpdate', labels: chosen });
  expect(await brokenAfter(court, 16)).toEqual([]);
  expect(await brokenAfter(court, 5)).toEqual([getsOn]);
});

test.each<[string, Stage]>([
  ['is a candidate', { labels: candidate('true'), reason: 'CandidateForUpdate' }],
  ['is drained', { labels: chosen, reason: 'SelectedForUpdate' }],
  [
    'has failed',
    {
      phase: 'InPlaceUpdateFailed',
      labels: { ...chosen, ...result('failed') },
      reason: 'UpdateFailed',
    },
  ],
  ['is of the template', { labels: {}, reason: 'UpdateSuccessful', version: '2' }],
  [
    'is of a pool without a selector',
    { labels: successful, reason: 'UpdateSuccessful', spec: { selector: {} } },
  ],
  [
    'is of a pool of another strategy',
    { labels: successful, reason: 'UpdateSuccessful', spec: { strategy: { type: 'Recreate' } } },
  ],
])('one that %s waits', async (_what, stage) => {
  expect(await brokenAfter(put(stage), 30)).toEqual([]);
});

function cordon({ write }: Courtroom): void {
  const path = '/api/v1/nodes/node-a';
  write({ method: 'PATCH', path, in: 'target', body: { spec: { unschedulable: true } } });
}

describe('a Node that we cordoned', () => {
  test.each<[Stage, string[]]>([
    [{}, [isOpen]],
    [{ reason: 'UpdateSuccessful', version: '2' }, [isOpen]],
    [{ labels: chosen, reason: 'SelectedForUpdate' }, []],
    [{ reason: 'ReadyForUpdate' }, []],
    [{ phase: 'Failed' }, []],
  ])('with %j', async (stage, expected) => {
    const court = put(stage);
    cordon(court);
    expect(await brokenAfter(court, 12)).toEqual(expected);
  });

  test('is left alone when a person cordoned it', async () => {
    const court = put({});
    const body = { spec: { unschedulable: true } };
    court.target.patch('/api/v1/nodes/node-a', { type: 'merge', body });
    expect(await brokenAfter(court, 12)).toEqual([]);
  });
});
