import { findProvider, readAndClaimMachine } from '../../../activities/machine/read-and-claim.ts';
import { customResource } from '../../../kube/client/paths.ts';
import { annotations } from '../../../workflows/api/constants.ts';
import { aMachine, aMachineClass, aNode, aSecret, namespace } from '../../support/builders.ts';
import { aWorld } from '../../support/world.ts';

const input = { machine: { namespace, name: 'pool-a' }, isRetry: false };
const path = customResource('machines', namespace, 'pool-a');
const { invalid } = annotations;
const foreign = { name: 's', namespace: 'garden' };

test('a sound machine: provider and limits are known, nothing is written', async () => {
  const world = aWorld({ control: [aMachine(), aMachineClass(), aSecret()] });
  const outcome = await readAndClaimMachine(world, input);
  expect(outcome).toMatchObject({
    found: true,
    machine: { uid: 'uid-of-pool-a', provider: 'virtual', className: 'small', usesTarget: true },
  });
  expect(outcome).not.toHaveProperty('failure');
  expect([...world.control.writes(), ...world.target.writes()]).toEqual([]);
});

test('a Machine that is gone is not found', async () => {
  expect(await readAndClaimMachine(aWorld(), input)).toEqual({ found: false });
});

test('the finalizer is added once, beside those of others', async () => {
  const machine = aMachine({ metadata: { finalizers: ['example.com/other'] } });
  const world = aWorld({ control: [machine, aMachineClass(), aSecret()] });
  await readAndClaimMachine(world, input);
  await readAndClaimMachine(world, input);
  expect(world.control.writes()).toEqual([`PATCH ${path}`]);
  expect((await world.control.read<typeof machine>(path)).metadata.finalizers).toEqual([
    'example.com/other',
    'machine.sapcloud.io/machine-controller-manager',
  ]);
});

test('a machine that is being deleted gets no finalizer back, and its class is not asked', async () => {
  const deletionTimestamp = '2026-01-01T01:00:00Z';
  const metadata = { finalizers: ['example.com/other'], deletionTimestamp };
  const world = aWorld({ control: [aMachine({ metadata })] });
  expect(await readAndClaimMachine(world, input)).toMatchObject({
    machine: { isDeleting: true, hasFinalizer: false },
  });
  expect(world.control.writes()).toEqual([]);
});

const unplacedTemplate = {
  capacity: { cpu: '2', gpu: '0', memory: '8Gi' },
  instanceType: 'small',
  region: 'local',
  zone: '',
};

test.each<[name: string, control: object[], message: string]>([
  [
    'no class named',
    [aMachine({ spec: {} })],
    'spec.class: Required value: must name a MachineClass',
  ],
  [
    'a wrong duration',
    [aMachine({ spec: { ...aMachine().spec, drainTimeout: 'soon' } })],
    'spec.drainTimeout: Invalid value: "soon": must be a duration of 0 or more, such as 90s, 20m or 1h30m',
  ],
  [
    'a class that is not there',
    [aMachine()],
    'spec.class.name: MachineClass "small" does not exist in namespace shoot: create it, or name another',
  ],
  [
    'a class that only the CRDs of MCM let through',
    [aMachine(), aMachineClass({ nodeTemplate: unplacedTemplate }), aSecret()],
    'MachineClass "small": nodeTemplate.zone: Invalid value: "": must not be empty',
  ],
  [
    'a Secret in another namespace',
    [aMachine(), aMachineClass({ secretRef: { name: 's', namespace: 'kube-system' } })],
    'MachineClass "small": secretRef.namespace: "kube-system" is not allowed: Secrets are read in shoot only',
  ],
  [
    'a Secret that is not there',
    [aMachine(), aMachineClass()],
    'MachineClass "small": secretRef.name: Secret "small-secret" does not exist in namespace shoot',
  ],
  [
    'a Secret without user data',
    [aMachine(), aMachineClass(), aSecret({ other: 'x' })],
    'MachineClass "small": its Secret has no key "userData": add it, it may be empty',
  ],
  [
    'a provider without a driver',
    [aMachine(), aMachineClass({ provider: 'mars' }), aSecret()],
    'MachineClass "small": provider: "mars" has no driver: no worker serves its task queue',
  ],
])('a fault is said in words that help: %s', async (_name, control, message) => {
  expect(await readAndClaimMachine(aWorld({ control }), input)).toMatchObject({
    found: true,
    failure: { code: 'InvalidArgument', message, isSettled: true },
  });
});

const long = 'x'.repeat(1_200_000);

test.each<{ field: string; spec: object; most: number }>([
  { field: 'nodeConditions', spec: { nodeConditions: ','.repeat(1_200_000) }, most: 10_000 },
  { field: 'providerID', spec: { providerID: long }, most: 1_000 },
  { field: 'class', spec: { class: { kind: 'MachineClass', name: long } }, most: 1_000 },
])(
  'a Machine with 1 MB of $field is refused, and can be deleted',
  async ({ field, spec, most }) => {
    const life = { deletionTimestamp: '2026-01-01T01:00:00Z', finalizers: ['example.com/other'] };
    const machine = aMachine({ spec: { ...aMachine().spec, ...spec } });
    const dying = aMachine({ metadata: life, spec: machine.spec });
    for (const object of [machine, dying]) {
      const world = aWorld({ control: [object, aMachineClass(), aSecret()] });
      const outcome = await readAndClaimMachine(world, input);
      const text = JSON.stringify(outcome);
      // It stands in a history.
      expect(text.length).toBeLessThan(5_000);
      const words = [`spec.${field}: Invalid value: 12000`, `must have at most ${most} characters`];
      const isSaid = object === machine;
      expect(words.map((fault) => text.includes(fault))).toEqual([isSaid, isSaid]);
    }
  },
);

const specFaults = (provider: string, spec: unknown): string[] => [
  `${provider} knows no ${JSON.stringify(spec)}`,
];

test('what its driver says of the provider spec is said without a call to the cloud, together with the rest', async () => {
  const control = [aMachine(), aMachineClass({ providerSpec: { size: 'x' } }), aSecret({})];
  expect(await readAndClaimMachine(aWorld({ control, specFaults }), input)).toMatchObject({
    failure: {
      code: 'InvalidArgument',
      message:
        'MachineClass "small": its Secret has no key "userData": add it, it may be empty; Invalid value: virtual knows no {"size":"x"}',
      isSettled: true,
    },
  });
});

test.each([
  { note: 'credentials: Unauthenticated: no', isClassRefused: true },
  { note: 'providerSpec.size is missing', isClassRefused: undefined },
])('a machine knows whether a cloud refuses its class: $note', async (row) => {
  const machineClass = aMachineClass({ metadata: { annotations: { [invalid]: row.note } } });
  const world = aWorld({ control: [aMachine(), machineClass, aSecret()] });
  const outcome = await readAndClaimMachine(world, input);
  // An annotation that was not taken away yet keeps nobody from being tried.
  expect(outcome).not.toHaveProperty('failure');
  const { machine } = outcome.found ? outcome : {};
  expect(machine?.isClassRefused).toBe(row.isClassRefused);
});

test('a bootstrap token is made where the user data has a place for it, and none for a machine with an instance', async () => {
  const secret = aSecret({ userData: 'join <<BOOTSTRAP_TOKEN>>' });
  const world = aWorld({ control: [aMachine(), aMachineClass(), secret] });
  const outcome = await readAndClaimMachine(world, input);
  expect(outcome).toMatchObject({ machine: { bootstrapTokenId: expect.any(String) } });
  expect(JSON.stringify(outcome)).not.toContain('token-secret');

  const born = aMachine({ spec: { ...aMachine().spec, providerID: 'local:///z/i' } });
  const later = aWorld({ control: [born, aMachineClass(), secret] });
  await readAndClaimMachine(later, input);
  expect(later.target.calls).toEqual([]);
});

test.each([
  ['one that is there', [aMachineClass()], { provider: 'virtual' }],
  ['none', [], { failure: { message: expect.stringContaining('create it again') } }],
  [
    'one without a driver',
    [aMachineClass({ provider: 'mars' })],
    { failure: { message: expect.stringContaining('"mars" has no driver') } },
  ],
  [
    'one that names a Secret of another namespace',
    [aMachineClass({ credentialsSecretRef: foreign })],
    {
      failure: {
        message:
          'MachineClass "small": credentialsSecretRef.namespace: "garden" is not allowed: Secrets are read in shoot only',
      },
    },
  ],
])('the provider of a class: %s', async (_name, control, outcome) => {
  expect(await findProvider(aWorld({ control }), { className: 'small' })).toMatchObject(outcome);
});

describe('the first read of a machine that has an instance', () => {
  const providerID = 'local:///zone-1/i-1';
  const machine = aMachine({
    metadata: { labels: { node: 'pool-a' } },
    spec: { ...aMachine().spec, providerID },
  });
  const control = [machine, aMachineClass(), aSecret()];
  const first = { ...input, readsNode: true };

  test('finds its Node, and what that says of preservation', async () => {
    const notes = { [annotations.preserve]: 'now' };
    const world = aWorld({ control, target: [aNode({ metadata: { annotations: notes } })] });
    expect(await readAndClaimMachine(world, first)).toMatchObject({
      machine: { providerID },
      node: { name: 'pool-a', uid: 'uid-of-pool-a', providerID, preserve: 'now' },
    });
  });

  test('answers with the Machine when the target cluster does not answer', async () => {
    const world = aWorld({ control });
    world.target.fault = () => ({ code: 503, reason: 'ServiceUnavailable', message: 'away' });
    expect(await readAndClaimMachine(world, first)).toMatchObject({
      machine: { providerID },
      outOfReach: expect.stringContaining('away'),
    });
  });

  test('is without its Node later on', async () => {
    const world = aWorld({ control, target: [aNode()] });
    await readAndClaimMachine(world, input);
    expect(world.target.calls).toEqual([]);
  });
});

test('a machine whose bootstrap token cannot be made is read all the same, and says why it waits', async () => {
  const secret = aSecret({ userData: 'join <<BOOTSTRAP_TOKEN>>' });
  const world = aWorld({ control: [aMachine(), aMachineClass(), secret] });
  world.target.fault = () => ({ code: 503, reason: 'ServiceUnavailable', message: 'away' });
  const outcome = await readAndClaimMachine(world, input);
  expect(outcome).toMatchObject({
    found: true,
    machine: { uid: 'uid-of-pool-a' },
    outOfReach: expect.stringContaining('away'),
  });
  expect(outcome).not.toHaveProperty('machine.bootstrapTokenId');
});

describe('what the API server refuses is a failure of the Machine', () => {
  const secret = aSecret({ userData: 'join <<BOOTSTRAP_TOKEN>>' });
  const denied = { code: 422, reason: 'Invalid', message: 'denied by a policy' };

  test('of its bootstrap token', async () => {
    const world = aWorld({ control: [aMachine(), aMachineClass(), secret] });
    world.target.fault = () => denied;
    const outcome = await readAndClaimMachine(world, input);
    expect(outcome).toMatchObject({
      found: true,
      machine: { uid: 'uid-of-pool-a' },
      failure: {
        code: 'PermissionDenied',
        message: expect.stringMatching(/^the target cluster did not take its .*denied by a policy/),
      },
    });
  });

  test('of its finalizer', async () => {
    const machine = aMachine({ metadata: { finalizers: [] } });
    const world = aWorld({ control: [machine, aMachineClass(), secret] });
    world.control.fault = ({ method }) => (method === 'PATCH' ? denied : undefined);
    const message = expect.stringMatching(
      /^the finalizer [^ ]+ could not be set: .*denied by a pol/,
    );
    expect(await readAndClaimMachine(world, input)).toMatchObject({
      found: true,
      machine: { uid: 'uid-of-pool-a', hasFinalizer: false },
      failure: { code: 'PermissionDenied', message },
    });
    expect(world.target.calls).toEqual([]);
  });

  test.each(['machineclasses', 'secrets'])('of its class: %s', async (resource) => {
    const world = aWorld({ control: [aMachine(), aMachineClass(), secret] });
    world.control.fault = (call) => (call.path.includes(`/${resource}/`) ? denied : undefined);
    const message = expect.stringMatching(/^MachineClass "[^"]+" or a Secret .*denied by a policy/);
    const failure = { code: 'PermissionDenied', message };
    const className = aMachine().spec?.class?.name ?? '';
    expect(await readAndClaimMachine(world, input)).toMatchObject({ found: true, failure });
    expect(await findProvider(world, { className })).toMatchObject({ found: false, failure });
  });

  test('unless the server answers when it is asked again', async () => {
    const world = aWorld({ control: [aMachine(), aMachineClass(), secret] });
    const denials = [{ code: 500, reason: 'InternalError', message: 'etcd: request timed out' }];
    world.target.fault = () => denials.pop();
    const outcome = await readAndClaimMachine(world, input);
    expect(outcome).toMatchObject({ machine: { bootstrapTokenId: expect.any(String) } });
    expect(outcome).not.toHaveProperty('failure');
  });
});
