/** The launch of a new Machine in one step, and what keeps it from asking a cloud. */
import { createKubeActivities } from '../../../activities/index.ts';
import { launchMachine } from '../../../activities/machine/launch.ts';
import type { LaunchRequest } from '../../../workflows/contracts/driver-activities.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { annotations, finalizers } from '../../../workflows/api/constants.ts';
import { customResource } from '../../../kube/client/paths.ts';
import { aMachine, aMachineClass, aSecret, namespace } from '../../support/builders.ts';
import { aWorld, lifeOf } from '../../support/world.ts';

const machine = lifeOf('pool-a');
const request = { machine, cluster: 'c', provider: 'virtual', resourceVersion: '1' };
const path = customResource('machines', namespace, 'pool-a');
/** As a person applies it. */
const aNewMachine = (changes: Partial<Machine['metadata']> = {}): Machine =>
  aMachine({ metadata: { finalizers: [], ...changes } });

const created = {
  outcome: 'created',
  instance: { providerID: 'local:///zone-1/i-2', nodeName: 'pool-a', isFound: false },
} as const;

function launching(object: Machine, asked = request) {
  const world = aWorld({ control: [object, aMachineClass(), aSecret()] });
  const creates: LaunchRequest[] = [];
  const warnings: unknown[] = [];
  const { readAndClaimMachine } = createKubeActivities(world);
  const parts = {
    claim: readAndClaimMachine,
    async create(given: LaunchRequest) {
      creates.push(given);
      return created;
    },
    warn: (error: unknown) => void warnings.push(error),
  };
  return { world, creates, warnings, parts, run: () => launchMachine(parts, asked) };
}

test('a new Machine is claimed before its instance is made, with the token of its first create', async () => {
  const { world, creates, run } = launching(aNewMachine());
  expect(await run()).toMatchObject({
    read: { found: true, machine: { provider: 'virtual', hasFinalizer: true } },
    created,
  });
  expect((await world.control.read<Machine>(path)).metadata.finalizers).toContain(
    finalizers.machine,
  );
  expect(creates).toMatchObject([
    { machine, cluster: 'c', className: 'small', provider: 'virtual', token: `${machine.uid}-0` },
  ]);
});

test.each<[string, Machine, typeof request]>([
  ['has a phase', aMachine({ phase: 'CrashLoopBackOff' }), request],
  [
    'names an instance',
    aMachine({ spec: { ...aMachine().spec, providerID: 'local:///zone-1/i-1' } }),
    request,
  ],
  ['names a Node', aNewMachine({ labels: { node: 'pool-a' } }), request],
  [
    'is being deleted',
    aMachine({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
    request,
  ],
  [
    'has had a create before',
    aNewMachine({ annotations: { [annotations.createGeneration]: '1' } }),
    request,
  ],
  ['has a class of another driver by now', aNewMachine(), { ...request, provider: 'AWS' }],
  [
    'is another one of its name',
    aNewMachine(),
    { ...request, machine: { ...machine, uid: 'uid-of-the-one-before' } },
  ],
])('no cloud is asked for a Machine that %s', async (_what, object, asked) => {
  const { creates, run } = launching(object, asked);
  expect(await run()).toEqual({ read: expect.objectContaining({ found: true }) });
  expect(creates).toEqual([]);
});

test('no cloud is asked where the finalizer could not be set', async () => {
  const { world, creates, run } = launching(aNewMachine());
  world.control.fault = ({ method }) =>
    method === 'PATCH' ? { code: 403, reason: 'Forbidden' } : undefined;
  expect(await run()).toMatchObject({ read: { failure: { code: 'PermissionDenied' } } });
  expect(creates).toEqual([]);
});

const create = async (): Promise<never> => {
  throw new Error('the API server is away');
};

test('a create that fails without an answer may have made something', async () => {
  const { parts, warnings } = launching(aNewMachine());
  expect(await launchMachine({ ...parts, create }, request)).toMatchObject({
    read: { found: true },
    created: { outcome: 'unknown' },
  });
  expect(warnings).toHaveLength(1);
});

test('a Machine that cannot be read fails the launch, before any cloud is asked', async () => {
  const { world, creates, run } = launching(aNewMachine());
  world.control.fault = () => ({ code: 500, reason: 'InternalError' });
  await expect(run()).rejects.toThrow('500');
  expect(creates).toEqual([]);
});
