import { expect, test } from 'vitest';
import { customResource } from '../../../activities/kube/client/paths.ts';
import { recordJoined } from '../../../activities/machine/join.ts';
import { patchMachine } from '../../../activities/machine/object.ts';
import { recordCreated, recordFailure } from '../../../activities/machine/record.ts';
import { beginTeardown } from '../../../activities/machine/teardown.ts';
import type { ActivityDependencies } from '../../../activities/runtime/dependencies.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { aMachine, aNode, namespace } from '../../support/builders.ts';
import { aWorld, lifeOf } from '../../support/world.ts';

const machine = lifeOf('pool-a');
const path = customResource('machines', namespace, 'pool-a');
const instance = { providerID: 'local:///zone-1/i-1', nodeName: 'pool-a' };
const successor = aMachine({ metadata: { uid: 'uid-2' } });

interface Row {
  name: string;
  write: (world: ActivityDependencies) => Promise<unknown>;
}

test.each<Row>([
  { name: 'that a deletion begins', write: (world) => beginTeardown(world, { machine }) },
  {
    name: 'that it was created',
    write: (world) =>
      recordCreated(world, {
        machine,
        instance: { ...instance, isFound: false },
        usesTarget: true,
      }),
  },
  {
    name: 'that it failed',
    write: (world) =>
      recordFailure(world, {
        machine,
        failure: { code: 'Internal', message: 'no', isSettled: true },
        operation: 'Delete',
        phase: 'Terminating',
        createGeneration: 0,
      }),
  },
  {
    name: 'that its Node joined',
    write: (world) =>
      recordJoined(world, {
        machine,
        node: { name: 'pool-a', uid: 'uid-of-pool-a' },
        className: 'small',
      }),
  },
])(
  'a status that says $name is not written to a Machine that came under the name in between',
  async ({ write }) => {
    const world = aWorld({ control: [aMachine()], target: [aNode()] });
    let wasReplaced = false;
    world.control.fault = (call) => {
      if (call.path !== `${path}/status` || wasReplaced) return undefined;
      wasReplaced = true;
      world.control.put(successor);
      return undefined;
    };
    await write(world);
    expect(wasReplaced).toBe(true);
    expect((await world.control.read<Machine>(path)).status).toBeUndefined();
  },
);

test('a status is written although something else changed in between', async () => {
  const world = aWorld({ control: [aMachine()] });
  let changes = 0;
  world.control.fault = ({ path: of }) => {
    if (of === `${path}/status` && changes < 3) {
      changes += 1;
      world.control.put(aMachine({ metadata: { labels: { a: String(changes) } } }));
    }
    return undefined;
  };
  const status = { currentStatus: { phase: 'Running' } };
  expect(await patchMachine(world.control, machine, { status })).toMatchObject({ status });
  expect(await world.control.read<Machine>(path)).toMatchObject({
    metadata: { labels: { a: '3' } },
    status,
  });
});

test('a status of a Machine that is gone is not written', async () => {
  const world = aWorld();
  const status = { currentStatus: { phase: 'Running' } };
  expect(await patchMachine(world.control, machine, { status })).toBeUndefined();
});
