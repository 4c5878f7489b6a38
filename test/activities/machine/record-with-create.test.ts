/** What follows a create in the same attempt, and what is left to the steps of the workflow. */
import { createKubeActivities } from '../../../activities/index.ts';
import type { RecordParts } from '../../../activities/machine/record-with-create.ts';
import { recordWithCreate } from '../../../activities/machine/record-with-create.ts';
import { customResource } from '../../../kube/client/paths.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { CreateOutcome } from '../../../workflows/contracts/driver-contract.ts';
import { aMachine, aNode, namespace } from '../../support/builders.ts';
import { aWorld, lifeOf } from '../../support/world.ts';

const path = customResource('machines', namespace, 'pool-a');
const machine = lifeOf('pool-a');
const request = { machine, provider: 'virtual', token: `${machine.uid}-0` };

const created = (nodeName: string, changes: object = {}): CreateOutcome => ({
  outcome: 'created',
  instance: { providerID: 'local:///zone-1/i-2', nodeName, isFound: false, ...changes },
});

/** A new Machine, beside the Node of another instance. */
function recording(changes: Partial<RecordParts> = {}, asked = request) {
  const world = aWorld({
    control: [aMachine()],
    target: [aNode({ metadata: { name: 'ip-10-0-0-1' } })],
  });
  const warnings: unknown[] = [];
  const parts: RecordParts = {
    steps: createKubeActivities(world),
    usesTarget: true,
    isCancelled: () => false,
    warn: (error) => void warnings.push(error),
    ...changes,
  };
  const recorded = async () => (await world.control.read<Machine>(path)).spec.providerID;
  const run = (outcome: CreateOutcome) => recordWithCreate(parts, asked, outcome);
  return { world, warnings, run, recorded };
}

test.each(['pool-a', 'ip-10-0-0-2'])(
  'an instance whose Node is to be called %s is on the Machine when the create ends',
  async (nodeName) => {
    const { run, recorded } = recording();
    const outcome = created(nodeName);
    expect(await run(outcome)).toEqual({ ...outcome, isRecorded: true });
    expect(await recorded()).toBe('local:///zone-1/i-2');
  },
);

test.each<[string, CreateOutcome]>([
  ['is called like the Node of another instance', created('ip-10-0-0-1')],
  ['has a Node name that cannot be one', created('Not a Name')],
  [
    'is not there yet',
    { outcome: 'pending', message: 'instance i-2 is pending', pollAfterSeconds: 5 },
  ],
  [
    'was refused',
    {
      outcome: 'failed',
      failure: { code: 'ResourceExhausted', message: 'no room', isSettled: true },
    },
  ],
])('an instance that %s is left to the workflow', async (_what, outcome) => {
  const { world, run } = recording();
  expect(await run(outcome)).toEqual(outcome);
  expect(world.control.writes()).toEqual([]);
});

test('an instance that is called like the Node of an earlier attempt is left to the workflow', async () => {
  const { world, run } = recording({}, { ...request, token: `${machine.uid}-1` });
  world.target.put(aNode({ metadata: { name: 'pool-a' } }));
  expect(await run(created('pool-a'))).toEqual(created('pool-a'));
  expect(world.control.writes()).toEqual([]);
});

test('a create that was cancelled leaves the Machine as it is', async () => {
  const { world, run } = recording({ isCancelled: () => true });
  expect(await run(created('pool-a'))).toEqual(created('pool-a'));
  expect(world.control.writes()).toEqual([]);
});

test('a write that is refused fails no create', async () => {
  const { world, warnings, run } = recording();
  world.control.fault = () => ({ code: 403, reason: 'Forbidden' });
  expect(await run(created('pool-a'))).toEqual(created('pool-a'));
  expect(warnings).toHaveLength(1);
});
