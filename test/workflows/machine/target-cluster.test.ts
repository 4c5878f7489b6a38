/** A Machine whose drain runs on a worker with the kubeconfig of another target cluster. */
import { failureOf } from '../../../activities/runtime/failures.ts';
import { annotations } from '../../../workflows/api/constants.ts';
import type { DrainRequest } from '../../../workflows/contracts/drain-activities.ts';
import { Drain } from '../../activities/drain/drain-under-test.ts';
import { aMachine, aNode, aPod } from '../../support/builders.ts';
import { eventually } from '../../support/eventually.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { resultOf } from '../../support/result-of.ts';
import { instance, MachineWorld } from './machine-world.ts';

const temporal = TemporalForTests.ofFile();

/** The real drain, on a cluster in memory that a test exchanges as a restarted worker does. */
class Drains {
  readonly joined = new Drain(new InMemoryClient(aNode(), aPod()));
  readonly other = new Drain(new InMemoryClient());
  targetCluster = 'cluster-b';
  refusals = 0;

  async run(request: DrainRequest) {
    const drain = this.targetCluster === 'cluster-a' ? this.joined : this.other;
    const { namespace, name, uid } = request.machine;
    const { nodeName, providerID } = instance;
    const notes = { [annotations.targetCluster]: 'cluster-a' };
    const metadata = { namespace, name, uid, labels: { node: nodeName }, annotations: notes };
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    drain.control.put({
      ...aMachine({ metadata: { ...metadata, deletionTimestamp } }),
      spec: { providerID },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
    try {
      return await drain.run(request, {}, { targetCluster: this.targetCluster });
    } catch (error) {
      this.refusals += 1;
      throw failureOf(error);
    }
  }
}

test('the instance of a machine lives until a worker drains the Node in the target cluster that it joined', async () => {
  const drains = new Drains();
  const world = await MachineWorld.create(temporal, { drainNode: (input) => drains.run(input) });
  await world.run(async () => {
    await world.beginAndJoin();
    await world.requestDeletion();
    await eventually('two passes failed', async () => drains.refusals >= 2);
    expect(world.log.inputsOf('deleteInstance')).toEqual([]);
    expect(drains.joined.has('web-0')).toBe(true);
    drains.targetCluster = 'cluster-a';
    await resultOf(world.handle);
    expect(drains.joined.has('web-0')).toBe(false);
    expect(drains.joined.evictions()).toBe(1);
    expect(world.log.inputsOf('deleteInstance')).toHaveLength(1);
  });
});

test('the instance of a machine in another target cluster goes undrained where force-deletion asks for it', async () => {
  const drains = new Drains();
  const world = await MachineWorld.create(temporal, { drainNode: (input) => drains.run(input) });
  await world.run(async () => {
    await world.beginAndJoin();
    await world.requestDeletion();
    await eventually('a pass failed', async () => drains.refusals >= 1);
    await world.observe({ forceDeletion: true });
    await resultOf(world.handle);
    expect(drains.joined.has('web-0')).toBe(true);
    expect(world.log.inputsOf('deleteInstance')).toHaveLength(1);
  });
});
