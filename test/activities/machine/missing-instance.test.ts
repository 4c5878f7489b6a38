/** An instance that is gone, of a machine that no Node tells of. */
import { customResource, namespaced } from '../../../kube/client/paths.ts';
import { recordMissingInstance } from '../../../activities/machine/missing-instance.ts';
import type { Machine, MachineSpec } from '../../../workflows/api/machine.ts';
import type { MachinePhase } from '../../../workflows/api/phases.ts';
import { aMachine, aMachineSet, aNode, controlledBy, namespace } from '../../support/builders.ts';
import { aWorld, lifeOf } from '../../support/world.ts';

const instance = { providerID: 'local:///zone-1/i-1', nodeName: 'pool-a' };
const set = aMachineSet({ spec: { replicas: 1 } });

const machineIn = (phase: MachinePhase, name = 'pool-a', spec: MachineSpec = {}): Machine =>
  aMachine({
    phase,
    metadata: { name, ownerReferences: controlledBy(set) },
    spec: { providerID: instance.providerID, ...spec },
  });

async function lossOf(machines: Machine[], ...target: object[]) {
  const world = aWorld({ control: [set, ...machines], target });
  const outcome = await recordMissingInstance(world, { machine: lifeOf('pool-a'), instance });
  const path = namespaced('events', namespace);
  const { items } = await world.control.list<{ reason: string; message: string }>(path);
  const { status } = await world.control.read<Machine>(
    customResource('machines', namespace, 'pool-a'),
  );
  return { outcome, status, events: items.map(({ message }) => message) };
}

test.each(['Pending', 'Available'] as const)(
  'a %s machine whose instance is missing is Failed with that reason',
  async (is) => {
    const { outcome, status, events } = await lossOf([machineIn(is)]);
    expect(outcome).toEqual({ found: 'lost' });
    expect(status).toMatchObject({
      currentStatus: { phase: 'Failed' },
      lastOperation: {
        state: 'Failed',
        description: expect.stringContaining('no instance local:///zone-1/i-1 any more'),
      },
    });
    expect(events).toEqual([
      'Machine pool-a: the cloud has no instance local:///zone-1/i-1 any more',
    ]);
  },
);

test('a machine whose instance is missing and whose Node is Ready is not Failed', async () => {
  const { outcome, events } = await lossOf([machineIn('Pending')], aNode());
  expect(outcome).toEqual({ found: 'nothing' });
  expect(events).toEqual([]);
});

test.each([
  { code: 503, reason: 'ServiceUnavailable' },
  { code: 403, reason: 'Forbidden' },
])('nor one whose Node cannot be read, for which nothing waits: $reason', async (fault) => {
  const world = aWorld({ control: [set, machineIn('Pending')] });
  world.target.fault = () => fault;
  const outcome = await recordMissingInstance(world, { machine: lifeOf('pool-a'), instance });
  expect(outcome).toMatchObject({ found: 'held', reason: expect.stringContaining(fault.reason) });
  expect(world.control.writes()).toEqual([]);
});

test('an Available machine whose instance is missing waits for its turn, as with a Node', async () => {
  const machines = [machineIn('Available'), machineIn('Failed', 'pool-b')];
  const { outcome, status, events } = await lossOf(machines);
  expect(outcome).toMatchObject({ found: 'held', reason: expect.stringContaining('pool-b') });
  expect(status?.currentStatus?.phase).toBe('Available');
  expect(events).toEqual([expect.stringContaining('pool-b')]);
});

test('other Available machines do not keep a machine without its instance from being Failed', async () => {
  const { outcome } = await lossOf([machineIn('Available'), machineIn('Available', 'pool-b')]);
  expect(outcome).toEqual({ found: 'lost' });
});

test('disableHealthTimeout keeps a machine without its instance from being Failed', async () => {
  const spared = machineIn('Available', 'pool-a', { disableHealthTimeout: true });
  const { outcome } = await lossOf([spared]);
  expect(outcome).toMatchObject({ reason: expect.stringContaining('disableHealthTimeout') });
});
