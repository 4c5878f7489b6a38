import { aNode, anObject, courtroom, minuteMs, pathTo } from '../courtroom.ts';
import type { Courtroom } from '../courtroom.ts';
import type { JudgedInstance } from '../judged-cloud.ts';

const hourMs = 60 * minuteMs;
const path = '/api/v1/nodes/pool-a';

/** A Machine with its instance and its Node, for long. */
async function joined(): Promise<Courtroom & { record: JudgedInstance }> {
  const court = courtroom();
  const metadata = { labels: { node: 'pool-a' } };
  court.control.put(anObject('Machine', 'pool-a', { metadata }));
  const record = court.cloud.create();
  const body = { spec: { providerID: record.providerID } };
  court.write({ method: 'PATCH', path: pathTo('machines', 'pool-a'), body });
  court.target.put(aNode('pool-a', record.providerID));
  await court.pass(hourMs);
  return { ...court, record };
}

function deleteNode(court: Courtroom): void {
  court.write({ method: 'DELETE', path, in: 'target' });
}

describe('deletion of a Node', () => {
  test('after its instance, with its Machine', async () => {
    const court = await joined();
    court.control.delete(pathTo('machines', 'pool-a'));
    court.target.patch(path, { type: 'merge', body: { spec: { unschedulable: true } } });
    await court.pass(minuteMs);
    court.cloud.delete(court.record);
    deleteNode(court);
    expect(court.broken()).toEqual([]);
  });

  test('before its instance', async () => {
    const court = await joined();
    court.control.delete(pathTo('machines', 'pool-a'));
    await court.pass(minuteMs);
    deleteNode(court);
    expect(court.broken()).toEqual(['a Node goes after its instance']);
  });

  test('of a Machine that is not being deleted', async () => {
    const court = await joined();
    court.cloud.delete(court.record, 'cloud');
    deleteNode(court);
    expect(court.broken()).toEqual(['a living Machine keeps its Node']);
  });

  test('of an instance of another install', async () => {
    const court = courtroom();
    const tags = {
      'millwright.dev/cluster': 'uid-of-seed',
      'millwright.dev/namespace': 'garden-two',
    };
    const record = court.cloud.create({ tags }, 'cloud');
    court.target.put(aNode('pool-a', record.providerID));
    deleteNode(court);
    expect(court.broken()).toContain('nothing of another install is touched');
  });
});

describe('a Node of another install', () => {
  const unmanaged = { 'node.machine.sapcloud.io/not-managed-by-mcm': '1' };

  test.each([
    ['may be marked as unmanaged', { annotations: unmanaged }, []],
    ['keeps its labels', { labels: { a: 'b' } }, ['nothing of another install is touched']],
  ])('%s', (_, metadata, expected) => {
    const court = courtroom();
    const tags = {
      'millwright.dev/cluster': 'uid-of-seed',
      'millwright.dev/namespace': 'garden-two',
    };
    const record = court.cloud.create({ tags }, 'cloud');
    court.target.put(aNode('pool-a', record.providerID));
    court.write({ method: 'PATCH', path, body: { metadata }, in: 'target' });
    expect(court.broken()).toEqual(expected);
  });
});
