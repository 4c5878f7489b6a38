import fc from 'fast-check';
import { machineErrorCodes } from '../../../../workflows/api/failures.ts';
import type { LastOperation } from '../../../../workflows/api/machine.ts';
import type {
  MachinePhase,
  OperationState,
  OperationType,
} from '../../../../workflows/api/phases.ts';
import type { MachineStanding } from '../../../../workflows/plan/machine/unsettled.ts';
import { unsettledMachine } from '../../../../workflows/plan/machine/unsettled.ts';

function of(
  phase: MachinePhase,
  lastOperation: LastOperation = {},
  standing: Partial<MachineStanding> = {},
): string {
  const status = { currentStatus: { phase }, lastOperation };
  const found = unsettledMachine({ isDeleting: false, isOwned: true, status, ...standing });
  return found ? `${found.type} ${found.reason}: ${found.message}` : 'as wanted';
}

const create = (state: OperationState, errorCode?: string): LastOperation => ({
  type: 'Create',
  state,
  description: 'It is said.',
  ...(errorCode !== undefined && { errorCode }),
});

describe('a machine that is updated in place', () => {
  test.each<[MachinePhase, string]>([
    ['InPlaceUpdating', 'Reconciling InPlaceUpdating: It is updated in place'],
    ['InPlaceUpdateSuccessful', 'as wanted'],
    [
      'InPlaceUpdateFailed',
      'Stalled InPlaceUpdateFailed: Its update in place failed. Repair its Node and have it tried again with millwright retry-update, or give it up with give-up-update',
    ],
  ])('and is %s: %s', (phase, words) => {
    expect(of(phase)).toBe(words);
  });
});

describe('a machine that comes', () => {
  test.each<[string, [MachinePhase, LastOperation], string]>([
    ['is new', ['', {}], 'Reconciling Creating: Its instance is being created'],
    ['waits in the cloud', ['', create('Processing')], 'Reconciling Creating: It is said'],
    [
      'waits for its Node',
      ['Pending', create('Processing')],
      'Reconciling AwaitingNode: It is said',
    ],
    ['runs', ['Running', create('Successful')], 'as wanted'],
    ['has no target cluster', ['Available', create('Successful')], 'as wanted'],
    [
      'meets a passing failure',
      ['CrashLoopBackOff', create('Failed', 'Unavailable')],
      'Reconciling CreationRetried: It is said',
    ],
    [
      'cannot be made as it is written',
      ['CrashLoopBackOff', create('Failed', 'InvalidArgument')],
      'Stalled InvalidSpec: It is said. Correct the MachineClass, its Secret or the spec: the next attempt follows at once',
    ],
    [
      'is refused for its credentials',
      ['CrashLoopBackOff', create('Failed', 'Unauthenticated')],
      'Stalled CredentialsRefused: It is said. Renew the credentials in the Secret of the MachineClass, or give them the rights',
    ],
    [
      'lacks a right',
      ['CrashLoopBackOff', create('Failed', 'PermissionDenied')],
      'Stalled CredentialsRefused: It is said. Renew the credentials in the Secret of the MachineClass, or give them the rights',
    ],
    [
      'is refused by Kubernetes',
      [
        'CrashLoopBackOff',
        {
          ...create('Failed', 'PermissionDenied'),
          description:
            'the target cluster did not take its bootstrap token: POST /api/v1/namespaces/kube-system/secrets: 403 Forbidden: no',
        },
      ],
      'Stalled RefusedByKubernetes: the target cluster did not take its bootstrap token: POST /api/v1/namespaces/kube-system/secrets: 403 Forbidden: no. Give Millwright the right, or correct the policy or the webhook that refuses it',
    ],
    [
      'has no room',
      ['CrashLoopBackOff', create('Failed', 'ResourceExhausted')],
      'Stalled ResourcesExhausted: It is said. Raise the quota, use another type or zone, or wait until the cloud has room',
    ],
    [
      'has a Node that is another Machine’s',
      ['Pending', create('Failed')],
      'Stalled NodeClaimed: It is said',
    ],
  ])('%s', (_name, status, found) => {
    expect(of(...status)).toBe(found);
  });

  test('stays stalled while another attempt is under way, and until its instance is made', () => {
    const before = { type: 'Stalled', reason: 'InvalidSpec', message: 'no such image' } as const;
    const attempt = create('Processing');
    expect(of('CrashLoopBackOff', attempt, { before })).toBe('Stalled InvalidSpec: no such image');
    expect(of('Pending', attempt, { before })).toBe('Reconciling AwaitingNode: It is said');
    const other = create('Failed', 'Unavailable');
    expect(of('CrashLoopBackOff', other, { before })).toMatch(/^Reconciling CreationRetried/);
  });
});

describe('a machine that is ill', () => {
  const health = {
    type: 'HealthCheck',
    state: 'Processing',
    description: 'Ready is Unknown',
  } as const;

  test('is worked on as long as it may recover', () => {
    expect(of('Unknown', health)).toBe('Reconciling Unhealthy: Ready is Unknown');
  });

  test('gets no further once it has failed', () => {
    const last = { ...health, state: 'Failed' } as const;
    const help = 'Ready is Unknown. Its MachineSet replaces it, unless it is preserved';
    expect(of('Failed', last)).toBe(`Stalled MachineFailed: ${help}`);
    expect(of('Failed', last, { isOwned: false })).toBe(
      'Stalled MachineFailed: Ready is Unknown. Read its lastOperation and its Events, then delete it',
    );
  });

  test('says what helps where its creation ran out of time for a reason', () => {
    expect(of('Failed', create('Failed', 'ResourceExhausted'))).toContain('. Raise the quota');
  });
});

describe('a machine that goes', () => {
  const going = (state: OperationState, errorCode?: string): LastOperation => ({
    ...create(state, errorCode),
    type: 'Delete',
  });

  test.each<[string, LastOperation, string]>([
    ['is drained', going('Processing'), 'Reconciling Deleting: It is said'],
    ['ended in the middle of a create', create('Failed', 'Internal'), 'Reconciling Deleting'],
    [
      'is held by pods',
      going('Failed'),
      'Stalled DrainBlocked: It is said. Remove what is in the way',
    ],
    ['meets a passing failure', going('Failed', 'Internal'), 'Reconciling DeletionRetried'],
    ['needs no room', going('Failed', 'ResourceExhausted'), 'Reconciling DeletionRetried'],
    ['needs other credentials', going('Failed', 'Unauthenticated'), 'Stalled CredentialsRefused'],
  ])('%s', (_name, last, found) => {
    expect(of('Terminating', last)).toContain(found);
    expect(of('Running', last, { isDeleting: true })).toContain(found);
  });
});

test('a long text of a cloud is cut, and what helps stays', () => {
  const last = { ...create('Failed', 'InvalidArgument'), description: 'x'.repeat(5_000) };
  const found = of('CrashLoopBackOff', last);
  expect(found.length).toBeLessThan(1_300);
  expect(found).toContain('. Correct the MachineClass');
});

const phases: MachinePhase[] = [
  '',
  'Pending',
  'Available',
  'Running',
  'Unknown',
  'Failed',
  'CrashLoopBackOff',
  'Terminating',
  'InPlaceUpdating',
  'InPlaceUpdateSuccessful',
  'InPlaceUpdateFailed',
];
const states: OperationState[] = ['Processing', 'Failed', 'Successful'];
const types: OperationType[] = [
  'Create',
  'Update',
  'InPlaceUpdate',
  'DrainNode',
  'HealthCheck',
  'Delete',
];

const isAtRest = (phase: MachinePhase): boolean =>
  ['Running', 'Available', 'InPlaceUpdateSuccessful'].includes(phase);

const anyReport = {
  type: expect.stringMatching(/^(Reconciling|Stalled)$/),
  reason: expect.stringMatching(/^[A-Z][A-Za-z]+$/),
  message: expect.any(String),
};

test('whatever stands in a status, kstatus gets one word, with a reason and a message', () => {
  const last = fc.record(
    {
      description: fc.string(),
      state: fc.constantFrom(...states),
      type: fc.constantFrom(...types),
      errorCode: fc.constantFrom(...machineErrorCodes, 'Foreign', ''),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...phases),
      last,
      fc.boolean(),
      (phase, lastOperation, isDeleting) => {
        const status = { currentStatus: { phase }, lastOperation };
        const found = unsettledMachine({ isDeleting, isOwned: true, status });
        const expected = isAtRest(phase) && !isDeleting ? undefined : anyReport;
        expect(found).toEqual(expected);
      },
    ),
  );
});
