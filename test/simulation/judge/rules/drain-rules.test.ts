import { lease } from '../../../../kube/client/paths.ts';
import {
  aNode,
  anObject,
  beginStop,
  courtroom,
  endStop,
  lead,
  minuteMs,
  namespace,
  pathTo,
} from '../courtroom.ts';
import type { Courtroom } from '../courtroom.ts';

const providerID = 'local:///a/i-1';
const node = '/api/v1/nodes/node-a';
const pod = '/api/v1/namespaces/apps/pods/web';
const drained = 'only the Node of a Machine that goes is drained';
const forced = 'pods go by force only when the time is up';

async function scene(metadata: object = {}): Promise<Courtroom> {
  const court = courtroom();
  const status = { currentStatus: { phase: 'Running' } };
  const spec = { providerID, drainTimeout: '30m' };
  const labels = { node: 'node-a' };
  court.control.put(anObject('Machine', 'pool-a', { metadata: { labels }, spec, status }));
  court.target.put(aNode('node-a', providerID));
  const web = anObject('Pod', 'web', { spec: { nodeName: 'node-a' } });
  const inApps = { ...web.metadata, namespace: 'apps', finalizers: [] };
  court.target.put({ ...web, apiVersion: 'v1', metadata: inApps });
  await court.pass(20 * minuteMs);
  if ('deletionTimestamp' in metadata) court.control.delete(pathTo('machines', 'pool-a'), {});
  await court.pass(minuteMs);
  return court;
}

const going = { deletionTimestamp: '' };
const cordon = { method: 'PATCH', path: node, body: { spec: { unschedulable: true } } } as const;
const kill = { method: 'DELETE', path: pod, body: { gracePeriodSeconds: 0 } } as const;
const ask = { method: 'DELETE', path: pod, body: {} } as const;

describe('a drain', () => {
  test.each([
    [cordon, {}, [drained]],
    [ask, {}, [drained]],
    [cordon, going, []],
    [ask, going, []],
  ] as const)('%j of the Node of a Machine with %j', async (deed, metadata, expected) => {
    const court = await scene(metadata);
    court.write({ ...deed, in: 'target' });
    expect(court.broken()).toEqual(expected);
  });

  test('of two Machines with one instance leaves that of the one that stays', async () => {
    const court = await scene();
    court.control.put(anObject('Machine', 'copy', { spec: { providerID } }));
    court.control.delete(pathTo('machines', 'copy'), {});
    court.write({ ...cordon, in: 'target' });
    expect(court.broken()).toEqual([drained]);
  });
});

describe('force', () => {
  test('comes when the time for the drain is over', async () => {
    const court = await scene(going);
    await court.pass(30 * minuteMs);
    court.write({ ...kill, in: 'target' });
    expect(court.broken()).toEqual([]);
  });

  test('comes no earlier', async () => {
    const court = await scene(going);
    court.write({ ...kill, in: 'target' });
    expect(court.broken()).toEqual([forced]);
  });

  test('comes at once where a user asks for it', async () => {
    const court = await scene(going);
    const body = { metadata: { labels: { 'force-deletion': 'True' } } };
    court.control.patch(pathTo('machines', 'pool-a'), { type: 'merge', body });
    court.write({ ...kill, in: 'target' });
    expect(court.broken()).toEqual([]);
  });

  test('waits for as much longer as a stop took', async () => {
    const court = await scene(going);
    beginStop(court);
    await court.pass(20 * minuteMs);
    endStop(court);
    await court.pass(12 * minuteMs);
    court.write({ ...kill, in: 'target' });
    expect(court.broken()).toEqual([forced]);
  });

  test('does not wait for a stop of which the lost Lease knew', async () => {
    const court = await scene(going);
    beginStop(court);
    await court.pass(20 * minuteMs);
    endStop(court);
    court.control.delete(lease(namespace, 'millwright'));
    await court.pass(15 * minuteMs);
    court.write({ ...kill, in: 'target' });
    expect(court.broken()).not.toContain(forced);
  });

  test('does not wait for a stop that was over before there was a Lease again', async () => {
    const court = await scene(going);
    court.control.delete(lease(namespace, 'millwright'));
    beginStop(court);
    await court.pass(20 * minuteMs);
    endStop(court);
    lead(court.control, namespace);
    await court.pass(15 * minuteMs);
    court.write({ ...kill, in: 'target' });
    expect(court.broken()).not.toContain(forced);
  });
});

test.each([
  [false, 1, ['an instance goes after its drain']],
  [true, 1, []],
  [false, 31, []],
])(
  'an instance whose Node is closed: %s, after %d minutes',
  async (isClosed, minutes, expected) => {
    const court = await scene();
    const record = court.cloud.create({ providerID });
    await court.pass(30 * minuteMs);
    court.control.delete(pathTo('machines', 'pool-a'), {});
    if (isClosed) court.target.patch(node, { type: 'merge', body: cordon.body });
    await court.pass(minutes * minuteMs);
    court.cloud.delete(record);
    expect(court.broken()).toEqual(expected);
  },
);

test('an instance whose Node registers during the deletion may find its drain over', async () => {
  const court = await scene();
  const record = court.cloud.create({ providerID });
  court.target.remove(node);
  await court.pass(30 * minuteMs);
  court.control.delete(pathTo('machines', 'pool-a'), {});
  await court.pass(minuteMs);
  const late = aNode('node-a', providerID);
  court.target.put({ ...late, metadata: { ...late.metadata, uid: 'late' } });
  await court.pass(15 * minuteMs);
  court.cloud.delete(record);
  expect(court.broken()).toEqual([]);
});
