/** When the workflow of a mirrored MachineDeployment compares both sides, and when it ends. */
import type { WorkflowHandle } from '@temporalio/client';
import type { SyncOutcome } from '../../../workflows/contracts/front-activities.ts';
import { poolChanged } from '../../../workflows/contracts/messages.ts';
import type { WorkflowInput } from '../../../workflows/contracts/references.ts';
import { frontIdOf, mirroredIdOf } from '../../../workflows/contracts/workflow-ids.ts';
import { CallLog } from '../../support/call-log.ts';
import { eventually } from '../../support/eventually.ts';
import { resultOf } from '../../support/result-of.ts';
import { TemporalForTests } from '../../support/temporal.ts';

const temporal = TemporalForTests.ofFile();
const cluster = 'uid-of-kube-system';
const current: SyncOutcome = { state: 'current', writes: 1, machines: 3 };
const gone: SyncOutcome = { state: 'gone', writes: 0, machines: 0 };

/** One MachineDeployment, as far as its workflow can tell. */
class PoolWorld {
  readonly log = new CallLog();
  readonly ref: WorkflowInput['ref'];
  answer: () => Promise<SyncOutcome> = async () => current;

  constructor(namespace: string) {
    this.ref = { namespace, name: 'pool' };
  }

  get kube(): object {
    return this.log.record({ syncPool: () => this.answer() });
  }

  get passes(): number {
    return this.log.inputsOf('syncPool').length;
  }

  get workflowId(): string {
    return frontIdOf(this.ref);
  }

  async tell(ofCluster = cluster): Promise<WorkflowHandle> {
    return await temporal.client.workflow.signalWithStart('front', {
      taskQueue: this.ref.namespace,
      workflowId: this.workflowId,
      args: [{ ref: this.ref, cluster }] satisfies [WorkflowInput],
      signal: poolChanged,
      signalArgs: [{ cluster: ofCluster }],
    });
  }

  async untilPasses(count: number): Promise<void> {
    await eventually(`${count} passes`, async () => this.passes >= count);
  }

  async page(): Promise<string> {
    return await temporal
      .answerOf(temporal.client.workflow.getHandle(this.workflowId), '__temporal_workflow_metadata')
      .then((metadata) => JSON.stringify(metadata));
  }

  async run(body: () => Promise<void>): Promise<void> {
    const { workflowId } = this;
    await temporal.withWorkflow({ workflowId, taskQueue: this.ref.namespace }, this, body);
  }
}

test('a burst of news is one pass, and a later one another', async () => {
  const world = new PoolWorld('burst');
  await world.run(async () => {
    const handle = await world.tell();
    await Promise.all([1, 2, 3, 4].map(() => handle.signal(poolChanged, { cluster })));
    await world.untilPasses(1);
    await temporal.skip(60);
    expect(world.passes).toBe(1);
    await world.tell();
    await world.untilPasses(2);
  });
});

test('Nodes are read until a pass has done so that was asked to', async () => {
  const world = new PoolWorld('nodes');
  const failed = new Error('the API server is away');
  world.answer = async () => await Promise.reject(failed);
  await world.run(async () => {
    const handle = await world.tell();
    await world.untilPasses(1);
    await handle.signal(poolChanged, { cluster, ofNodes: true });
    await world.untilPasses(2);
    world.answer = async () => current;
    await world.untilPasses(3);
    await world.tell();
    await world.untilPasses(4);
    const asked = world.log.inputsOf('syncPool').map((input) => Object(input).readsNodes ?? false);
    expect(asked.slice(-2)).toEqual([true, false]);
  });
});

test('without news both sides are read again, as what a template names is not watched', async () => {
  const world = new PoolWorld('quiet');
  await world.run(async () => {
    await world.tell();
    await world.untilPasses(1);
    await temporal.skip(600);
    expect(world.passes).toBe(1);
    await temporal.skip(400);
    await world.untilPasses(2);
  });
});

test('signals of another cluster are not heard, and a request to cancel does nothing', async () => {
  const world = new PoolWorld('stubborn');
  await world.run(async () => {
    const handle = await world.tell();
    await world.untilPasses(1);
    await world.tell('elsewhere');
    await handle.cancel();
    await temporal.skip(60);
    expect(world.passes).toBe(1);
    await world.tell();
    await world.untilPasses(2);
    expect((await handle.describe()).status.name).toBe('RUNNING');
  });
});

test('what waits is looked at again after half a minute, and ever later', async () => {
  const world = new PoolWorld('waits');
  world.answer = async () => ({ ...current, state: 'waits', reason: 'no Secret yet' });
  await world.run(async () => {
    await world.tell();
    await world.untilPasses(1);
    expect(await world.page()).toContain('no Secret yet');
    await temporal.skip(31);
    await world.untilPasses(2);
    await temporal.skip(31);
    expect(world.passes).toBe(2);
    await temporal.skip(30);
    await world.untilPasses(3);
  });
});

test('a pass that fails says why on the page and comes again, not at once with each piece of news', async () => {
  const world = new PoolWorld('fails');
  world.answer = () => Promise.reject(new Error('a webhook refuses'));
  await world.run(async () => {
    await world.tell();
    await world.untilPasses(3);
    expect(await world.page()).toContain('a webhook refuses');
    expect(await world.page()).toContain(mirroredIdOf(world.workflowId));
    const before = world.passes;
    world.answer = async () => current;
    await world.tell();
    await temporal.skip(301);
    await world.untilPasses(before + 1);
  });
});

test('a run ends with its MachineDeployment, and the next object of that name has another', async () => {
  const world = new PoolWorld('gone');
  world.answer = async () => gone;
  await world.run(async () => {
    const first = await world.tell();
    const { runId } = await first.describe();
    expect(await resultOf(first)).toEqual({ reason: 'all of it is gone' });
    world.answer = async () => current;
    await world.tell();
    await world.untilPasses(2);
    const { runId: second } = await first.describe();
    expect(second).not.toBe(runId);
  });
});

test('news that come while the last object is found gone are for the next one', async () => {
  const world = new PoolWorld('successor');
  world.answer = async () => {
    world.answer = async () => current;
    await world.tell();
    return gone;
  };
  await world.run(async () => {
    const handle = await world.tell();
    await world.untilPasses(2);
    expect((await handle.describe()).status.name).toBe('RUNNING');
  });
});

test('a long history is continued as new between two passes', async () => {
  const world = new PoolWorld('long');
  await world.run(async () => {
    const handle = await world.tell();
    const { runId } = await handle.describe();
    await Promise.all(Array.from({ length: 1_000 }, () => handle.signal(poolChanged, { cluster })));
    const next = await eventually('another run', async () => {
      const { runId: now } = await temporal.client.workflow.getHandle(world.workflowId).describe();
      return now === runId ? undefined : now;
    });
    expect(next).not.toBe(runId);
  });
});

test('ids of both sides differ in their first part, with a cluster name or without', () => {
  const ref = { namespace: 'shoot', name: 'pool' };
  expect(frontIdOf(ref)).toBe('front/shoot/pool');
  expect(mirroredIdOf(frontIdOf(ref, 'eu'))).toBe('machineDeployment/eu/shoot/pool');
});
