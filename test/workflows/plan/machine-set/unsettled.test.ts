import type { MachineSetStatus } from '../../../../workflows/api/machine-set.ts';
import type { SetStanding } from '../../../../workflows/plan/machine-set/unsettled.ts';
import { unsettledSet } from '../../../../workflows/plan/machine-set/unsettled.ts';

const full: MachineSetStatus = { replicas: 3, availableReplicas: 3, observedGeneration: 4 };

function of(status: MachineSetStatus, changes: Partial<SetStanding> = {}): string {
  const standing = { isDeleting: false, isFrozen: false, wanted: 3, generation: 4 };
  const found = unsettledSet({ ...standing, status: { ...full, ...status }, ...changes });
  return found ? `${found.type} ${found.reason}: ${found.message}` : 'as wanted';
}

const failed = (name: string, errorCode: string, type: 'Create' | 'Delete' = 'Create') => ({
  name,
  lastOperation: { description: `${name} failed.`, state: 'Failed' as const, type, errorCode },
});

describe('a set', () => {
  test('with its machines is as wanted, an empty one too', () => {
    expect(of({})).toBe('as wanted');
    expect(of({ replicas: 0, availableReplicas: 0 }, { wanted: 0 })).toBe('as wanted');
  });

  test('is worked on until they are available, and no more exist', () => {
    expect(of({ availableReplicas: 2 })).toBe(
      'Reconciling MachinesUnavailable: 3 machines are wanted: 2 available, 3 in all',
    );
    expect(of({ replicas: 5 })).toBe(
      'Reconciling ScalingDown: 3 machines are wanted: 3 available, 5 in all',
    );
    expect(of({ observedGeneration: 3 })).toContain('Reconciling');
    expect(of({}, { isDeleting: true })).toContain('Reconciling Deleting');
    expect(of({ replicas: 1, availableReplicas: 0 }, { wanted: 1, isDeleting: true })).toContain(
      'once its 1 machine is',
    );
    expect(of({ replicas: 1, availableReplicas: 0 }, { wanted: 1 })).toContain(
      '1 machine is wanted',
    );
  });

  test('does nothing for a machine that is preserved', () => {
    expect(of({ availableReplicas: 2, preservedFailedReplicas: 1 })).toBe('as wanted');
  });

  test('is stalled while it is frozen, by the check or by hand', () => {
    const condition = { type: 'Frozen', status: 'True', message: '9 machines' } as const;
    expect(of({ machineSetCondition: [condition] })).toContain('Stalled Frozen: 9 machines. No ');
    expect(of({}, { isFrozen: true })).toContain('Stalled Frozen: It has the label freeze=True');
  });

  test('tells a wrong spec from a refusal that is tried again', () => {
    const failure = { type: 'ReplicaFailure', status: 'True', message: 'no' } as const;
    const invalid = { ...failure, reason: 'InvalidSpec' };
    expect(of({ machineSetCondition: [invalid] })).toBe(
      'Stalled InvalidSpec: no. Correct the spec',
    );
    const refused = { ...failure, reason: 'FailedCreate' };
    expect(of({ machineSetCondition: [refused] })).toBe('Reconciling FailedCreate: no');
  });
});

describe('a set whose machines fail', () => {
  test('is stalled by those that need a person, the first by name', () => {
    const failedMachines = [failed('c', 'InvalidArgument'), failed('b', 'Unauthenticated')];
    expect(of({ availableReplicas: 1, failedMachines })).toContain(
      'Stalled CredentialsRefused: Machine b and 1 more: b failed. Renew',
    );
    expect(of({ failedMachines: [failed('a', 'ResourceExhausted')] })).toContain(
      'Stalled ResourcesExhausted: Machine a: a failed. Raise',
    );
    expect(of({ failedMachines: [failed('a', 'PermissionDenied', 'Delete')] })).toContain(
      'Stalled CredentialsRefused',
    );
  });

  test('goes on while the next attempt may do, and while a drain is held up', () => {
    const failedMachines = [failed('a', 'Internal'), failed('b', '', 'Delete')];
    expect(of({ availableReplicas: 2, failedMachines })).toContain('Reconciling');
  });
});
