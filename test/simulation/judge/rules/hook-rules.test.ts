import { aNode, anObject, courtroom, minuteMs, pathTo } from '../courtroom.ts';
import type { Courtroom } from '../courtroom.ts';

const etcd = 'suspend-instance-deletion.node.machine.sapcloud.io/etcd';
const traffic = 'pre-drain.delete.hook.machine.cluster.x-k8s.io/traffic';
const cordon = { method: 'PATCH', path: '/api/v1/nodes/node-a', in: 'target' } as const;
const closing = { ...cordon, body: { spec: { unschedulable: true } } };

/** A Machine with these hooks that has been going for a while. */
async function scene(...hooks: string[]): Promise<Courtroom & { go(): void }> {
  const court = courtroom();
  const annotations = Object.fromEntries(hooks.map((hook) => [hook, 'etcd-druid']));
  const metadata = { annotations, labels: { node: 'node-a' } };
  court.control.put(anObject('Machine', 'pool-a', { metadata }));
  const record = court.cloud.create();
  const { providerID } = record;
  court.write({
    method: 'PATCH',
    path: pathTo('machines', 'pool-a'),
    body: { spec: { providerID } },
  });
  court.target.put(aNode('node-a', providerID));
  await court.pass(20 * minuteMs);
  court.control.delete(pathTo('machines', 'pool-a'), {});
  await court.pass(20 * minuteMs);
  return { ...court, go: () => court.cloud.delete(record) };
}

function unhook({ control }: Courtroom, hook: string): void {
  const body = { metadata: { annotations: { [hook]: null } } };
  control.patch(pathTo('machines', 'pool-a'), { type: 'merge', body });
}

test('a hook before the instance holds it, and not its drain', async () => {
  const court = await scene(etcd);
  court.write(closing);
  expect(court.broken()).toEqual([]);
  court.go();
  expect(court.broken()).toContain('a hook holds its instance');
});

test('a hook before the drain holds the drain', async () => {
  const court = await scene(traffic);
  court.write(closing);
  expect(court.broken()).toEqual(['a hook holds its drain']);
});

test('once it is gone, both may go', async () => {
  const court = await scene(etcd, traffic);
  unhook(court, traffic);
  court.write(closing);
  unhook(court, etcd);
  court.go();
  expect(court.broken()).toEqual([]);
});

test('one that comes after the last read comes too late', async () => {
  const court = await scene();
  court.write(closing);
  const body = { metadata: { annotations: { [etcd]: 'etcd-druid', [traffic]: 'mesh' } } };
  court.control.patch(pathTo('machines', 'pool-a'), { type: 'merge', body });
  court.go();
  expect(court.broken()).toEqual([]);
});
