/** No driver deletes an instance that the objects do not give up. */
import {
  isClaimed,
  requireDeletable,
  requireUnclaimed,
} from '../../../activities/machine/deletable.ts';
import { finalizers } from '../../../workflows/api/constants.ts';
import { aMachine } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { lifeOf } from '../../support/world.ts';

const deletionTimestamp = '2026-01-01T00:00:00Z';
const machine = lifeOf('pool-a');
const token = `${machine.uid}-0`;
const providerID = 'aws:///eu-west-1/i-1';
const going = { deletionTimestamp, finalizers: [finalizers.machine] };

function aMachineWith(metadata: object, claim = providerID) {
  return aMachine({ metadata: { name: 'pool-a', ...metadata }, spec: { providerID: claim } });
}

describe('the instance of a Machine', () => {
  test.each([
    ['goes with a Machine that is being deleted', aMachineWith(going), providerID],
    ['goes by its token with a Machine that is being deleted', aMachineWith(going), undefined],
    ['goes when its Machine has none yet', aMachineWith({}, ''), providerID],
    [
      'goes when its Machine goes and has none recorded',
      aMachineWith({ ...going }, ''),
      providerID,
    ],
    ['goes when there is no such Machine', undefined, providerID],
  ])('%s', async (_what, object, named) => {
    const control = new InMemoryClient(...(object ? [object] : []));
    const request = { machine, token, ...(named !== undefined && { providerID: named }) };
    const found = await requireDeletable(control, request);
    expect(found?.metadata.uid).toBe(object?.metadata.deletionTimestamp && object.metadata.uid);
  });

  test.each([
    [
      'stays while its Machine lives',
      aMachineWith({ finalizers: [finalizers.machine] }),
      providerID,
    ],
    ['stays by its token while its Machine lives', aMachineWith({}), undefined],
    [
      'stays with a Machine that lost our finalizer',
      aMachineWith({ deletionTimestamp, finalizers: ['other'] }),
      providerID,
    ],
    ['stays with a Machine of another UID', aMachineWith({ ...going, uid: 'other' }), providerID],
    [
      'stays with another Machine, however its region is written',
      aMachine({ metadata: { name: 'pool-b' }, spec: { providerID: 'aws:///eu-west-1b/i-1' } }),
      providerID,
    ],
  ])('%s', async (_what, object, named) => {
    const request = { machine, token, ...(named !== undefined && { providerID: named }) };
    await expect(requireDeletable(new InMemoryClient(object), request)).rejects.toMatchObject({
      code: 'FailedPrecondition',
      message: expect.stringContaining('the instance is not deleted: Machine'),
    });
  });
});

describe('a request that was forged', () => {
  const own = 'aws:///eu-west-1/i-2';
  const living = aMachine({ metadata: { name: 'pool-b', uid: 'uid-b' }, spec: { providerID } });
  const dying = aMachineWith(going, own);
  const other = { ...machine, name: 'no-such-machine', uid: 'uid-b' };

  test.each([
    [
      'the instance of another Machine with one that goes',
      [dying, living],
      { machine, token, providerID },
    ],
    ['what has the token of another one', [dying, living], { machine, token: 'uid-b-0' }],
    [
      'that even where the instance that is named may go',
      [dying, living],
      { machine, token: 'uid-b-0', providerID: own },
    ],
    [
      'the instance of a Machine whose UID it gives another name',
      [living],
      { machine: other, token: 'uid-b-0' },
    ],
    [
      'that even where the instance that is named is nobody’s',
      [living],
      { machine: other, token: 'uid-b-0', providerID: own },
    ],
    [
      'the instance of a living Machine by naming one that is nobody’s',
      [aMachineWith({}, own)],
      { machine, token, providerID: 'aws:///eu-west-1/i-9' },
    ],
  ])('does not take %s', async (_what, objects, request) => {
    const refused = requireDeletable(new InMemoryClient(...objects), request);
    await expect(refused).rejects.toMatchObject({ code: 'FailedPrecondition' });
  });
});

test('a listed instance stays when a Machine took it since', async () => {
  const request = { namespace: machine.namespace, providerID };
  await expect(requireUnclaimed(new InMemoryClient(), request)).resolves.toBeUndefined();
  await expect(requireUnclaimed(new InMemoryClient(aMachineWith({})), request)).rejects.toThrow(
    'Machine shoot/pool-a has it',
  );
});

test.each([500, 5_000])(
  'as many instances as there are Machines, %i, that go at once share two lists',
  async (count) => {
    const names = Array.from({ length: count }, (_, index) => `pool-${index}`);
    const control = new InMemoryClient(aMachineWith({}));
    const claims = names.map((name) => isClaimed(control, lifeOf(name), providerID));
    // One is under way, and serves no call that came after it began.
    expect(new Set(await Promise.all(claims))).toEqual(new Set([true]));
    expect(control.calls.length).toBeLessThanOrEqual(2);
  },
);

test('an instance that was taken while another call read is seen', async () => {
  const control = new InMemoryClient();
  const first = isClaimed(control, lifeOf('pool-b'), providerID);
  await Promise.resolve();
  control.put(aMachineWith({}));
  expect(await isClaimed(control, lifeOf('pool-b'), providerID)).toBe(true);
  await first;
});

describe('an instance is claimed', () => {
  test.each([
    ['by another Machine', aMachine({ metadata: { name: 'pool-b' }, spec: { providerID } }), true],
    ['by a Machine of its name with another UID', aMachineWith({ uid: 'other' }), true],
    ['not by the Machine itself', aMachineWith({}), false],
    ['not by a Machine without an instance', aMachineWith({ uid: 'other' }, ''), false],
  ])('%s', async (_what, object, expected) => {
    expect(await isClaimed(new InMemoryClient(object), machine, providerID)).toBe(expected);
  });
});
