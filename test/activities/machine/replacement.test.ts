/**
 * Many machines that ask at once whether they may be replaced, or whether their Nodes were deleted.
 */
import { customResource, node as nodePath } from '../../../kube/client/paths.ts';
import { isMassDisappearance } from '../../../activities/machine/meltdown.ts';
import { findHold } from '../../../activities/machine/replacement.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { MachinePhase } from '../../../workflows/api/phases.ts';
import {
  aMachine,
  aMachineDeployment,
  aMachineSet,
  aNode,
  controlledBy,
  namespace,
} from '../../support/builders.ts';
import type { WorldOfTests } from '../../support/world.ts';
import { aWorld } from '../../support/world.ts';

const deployment = aMachineDeployment();
const set = aMachineSet({
  metadata: { ownerReferences: controlledBy(deployment) },
  spec: { replicas: 0 },
});
const machinesPath = customResource('machines', namespace);
const deploymentPath = customResource('machinedeployments', namespace, 'workers');

const machineOf = (name: string, phase: MachinePhase): Machine =>
  aMachine({
    phase,
    metadata: { name, labels: { node: name }, ownerReferences: controlledBy(set) },
  });

const several = (count: number, phase: MachinePhase): Machine[] =>
  Array.from({ length: count }, (_, index) => machineOf(`${phase}-${index}`, phase));

const unknown = several(100, 'Unknown');
const running = several(101, 'Running');

const holdsOf = async (world: WorldOfTests, machines: readonly Machine[]) =>
  await Promise.all(machines.map((machine) => findHold(world, machine)));

const listsOf = ({ control }: WorldOfTests): string[] =>
  control.calls.filter((call) => /^GET .*\/machine(set)?s$/.test(call));

async function grantedBy({ control }: WorldOfTests): Promise<string | undefined> {
  const { metadata } = await control.read<MachineDeployment>(deploymentPath);
  return metadata.annotations?.['millwright.dev/replacing'];
}

test('of 100 machines that ask at once one may fail, and they share a few lists', async () => {
  const world = aWorld({ control: [deployment, set, ...unknown, ...running] });
  const holds = await holdsOf(world, unknown);
  const free = unknown.filter((_, index) => holds[index] === undefined);
  expect(free).toHaveLength(1);
  expect(await grantedBy(world)).toBe(free[0]?.metadata.name);
  expect(listsOf(world).length).toBeLessThanOrEqual(8);
});

test('100 machines that ask one after the other are held back by one count', async () => {
  const failed = machineOf('failed', 'Failed');
  const world = aWorld({ control: [deployment, set, failed, ...unknown, ...running] });
  for (const machine of unknown) {
    expect(await findHold(world, machine)).toEqual({
      reason:
        'past its health timeout, but 1 of at most 1 machine is being replaced already: failed',
      isMeltdown: false,
    });
  }
  expect(listsOf(world)).toHaveLength(2);
});

test('a count that holds other machines back does not hold back the machine that it counts', async () => {
  const world = aWorld({ control: [deployment, set, ...unknown, ...running] });
  const [first, second] = unknown;
  if (!first || !second) throw new Error('two machines are needed');
  expect(await findHold(world, first)).toBeUndefined();
  expect((await findHold(world, second))?.reason).toContain(first.metadata.name);
  // As after an attempt that noted it and did not get to write the phase.
  expect(await findHold(world, first)).toBeUndefined();
});

test('a machine may only fail by a count of its own: what was counted before it asked does not count', async () => {
  const world = aWorld({ control: [deployment, set, ...unknown, ...running] });
  const [first, second] = unknown;
  if (!first || !second) throw new Error('two machines are needed');
  const before = listsOf(world).length;
  expect(await findHold(world, first)).toBeUndefined();
  world.control.put(machineOf(first.metadata.name, 'Failed'));
  expect(listsOf(world)).toHaveLength(before + 2);
  expect((await findHold(world, second))?.reason).toContain(first.metadata.name);
  expect(listsOf(world)).toHaveLength(before + 4);
});

test('100 machines that lost their Nodes at once share a list of Machines and one of the metadata of Nodes', async () => {
  const control = [...several(100, 'Running'), ...unknown];
  const { target, ...world } = aWorld({ control, target: [aNode()] });
  const list = jest.spyOn(target, 'list');
  const answers = await Promise.all(control.map(() => isMassDisappearance({ ...world, target })));
  expect(new Set(answers)).toEqual(new Set([true]));
  expect(world.control.calls).toEqual([`GET ${machinesPath}`]);
  expect(target.calls).toEqual([`GET ${nodePath()}`]);
  expect(list).toHaveBeenCalledWith(nodePath(), { as: 'PartialObjectMetadata' });
});

test('a Node that came back before a machine asks is seen', async () => {
  const machines = several(3, 'Running');
  const world = aWorld({ control: machines });
  expect(await isMassDisappearance(world)).toBe(true);
  for (const { metadata } of machines)
    world.target.put(aNode({ metadata: { name: metadata.name } }));
  expect(await isMassDisappearance(world)).toBe(false);
});
