/** A run that Temporal begins anew after its predecessor failed: what that one knew is lost. */
import { fileURLToPath } from 'node:url';
import type { WorkflowBundleOption } from '@temporalio/worker';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { runOptionsOf } from '../../../watcher/queue/delivery.ts';
import type { MachineInput } from '../../../workflows/machine/workflow.ts';
import type { CarriedMachine } from '../../../workflows/machine/carried.ts';
import { eventually } from '../../support/eventually.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { bundleForTests } from '../../support/workflow-bundle.ts';
import { resultOf } from '../../support/result-of.ts';
import { cluster, instance, MachineWorld, readyNode } from './machine-world.ts';

const failingCode = fileURLToPath(new URL('../../support/failing-workflows.ts', import.meta.url));
const { providerID, nodeName } = instance;
const failure = { code: 'InvalidArgument', message: 'no such class', isSettled: true } as const;

let bundle: WorkflowBundleOption;
let failing: WorkflowBundleOption;
let temporal: TemporalForTests;
beforeAll(async () => {
  bundle = await bundleForTests();
  const logger = new DefaultLogger('ERROR');
  failing = await bundleWorkflowCode({ workflowsPath: failingCode, logger });
  temporal = await TemporalForTests.start(bundle);
});
afterAll(() => temporal.stop());

/** The first attempt fails; the next one waits for a worker. */
async function failOnce(world: MachineWorld, state?: CarriedMachine): Promise<void> {
  const input: MachineInput = { ref: world.ref, cluster, ...(state && { state }) };
  await temporal.withOtherCode(failing, world.ref.namespace, async () => {
    const first = await temporal.client.workflow.start('machine', {
      taskQueue: world.ref.namespace,
      workflowId: world.workflowId,
      args: [input],
      ...runOptionsOf({ workflowTaskSeconds: 10, heartbeatSeconds: 30 }),
    });
    await eventually('the first attempt has failed', async () => {
      return (await world.handle.describe()).runId !== first.firstExecutionRunId;
    });
  });
}

test('a machine that another run handed over is read anew, and so is its Node', async () => {
  const world = await MachineWorld.create(temporal, {
    readAndClaimMachine: async () => ({ found: true, machine: world.read(), node: readyNode }),
  });
  let state: CarriedMachine | undefined;
  await world.run(async () => {
    await world.begin();
    await world.phase('Running');
    state = await world.state();
  });
  world.object = { ...world.object, providerID, nodeName, phase: 'Running' };
  const before = world.log.count('readAndClaimMachine');
  await failOnce(world, state);
  await world.run(async () => {
    await world.begin();
    await world.log.until('readAndClaimMachine', before + 1);
    expect(world.log.inputsOf('readAndClaimMachine').at(-1)).toMatchObject({ readsNode: true });
    await world.phase('Running');
    expect(world.log.count('createInstance')).toBe(1);
  });
});

test('a machine without providerID may have an instance all the same: its deletion searches for one', async () => {
  const world = await MachineWorld.create(temporal, {
    readAndClaimMachine: async () => ({ found: true, machine: world.read(), failure }),
  });
  const { provider: _unknown, ...withoutProvider } = world.object;
  world.object = withoutProvider;
  await failOnce(world);
  await world.run(async () => {
    await world.begin();
    await world.log.until('recordFailure');
    await world.requestDeletion();
    await world.log.until('deleteInstance');
    await temporal.skip(35);
    expect((await resultOf(world.handle)).reason).toBe('instance, Node and object are gone');
  });
});

test('a machine of which nothing was asked yet has no instance: its deletion asks no driver', async () => {
  const world = await MachineWorld.create(temporal, {
    readAndClaimMachine: async () => ({ found: true, machine: world.read(), failure }),
  });
  const { provider: _unknown, ...withoutProvider } = world.object;
  world.object = withoutProvider;
  await world.run(async () => {
    await world.begin();
    await world.log.until('recordFailure');
    await world.requestDeletion();
    await resultOf(world.handle);
    expect(world.log.count('deleteInstance')).toBe(0);
  });
});

test('a preserve annotation that only the Node has takes effect', async () => {
  const world = await MachineWorld.create(temporal, {
    readAndClaimMachine: async () => ({
      found: true,
      machine: world.read(),
      node: { ...readyNode, preserve: 'now' },
    }),
  });
  world.object = { ...world.object, providerID, nodeName, phase: 'Running' };
  await failOnce(world);
  await world.run(async () => {
    await world.begin();
    await world.log.until('preserveMachine');
    expect(world.log.names().slice(0, 2)).toEqual(['readAndClaimMachine', 'preserveMachine']);
  });
});
