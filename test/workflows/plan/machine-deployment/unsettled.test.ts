import type { MachineDeploymentStatus } from '../../../../workflows/api/machine-deployment.ts';
import type { Condition } from '../../../../workflows/api/meta.ts';
import type { DeploymentStanding } from '../../../../workflows/plan/machine-deployment/unsettled.ts';
import { unsettledDeployment } from '../../../../workflows/plan/machine-deployment/unsettled.ts';

const full: MachineDeploymentStatus = {
  replicas: 3,
  updatedReplicas: 3,
  availableReplicas: 3,
  observedGeneration: 4,
};

function of(status: MachineDeploymentStatus, changes: Partial<DeploymentStanding> = {}): string {
  const standing = { isDeleting: false, wanted: 3, generation: 4 };
  const found = unsettledDeployment({ ...standing, status: { ...full, ...status }, ...changes });
  return found ? `${found.type} ${found.reason}: ${found.message}` : 'as wanted';
}

const progress = (
  status: Condition['status'],
  reason: string,
  message = 'MachineSet "x" is said.',
): Condition[] => [{ type: 'Progressing', status, reason, message }];

describe('a deployment', () => {
  test('with its machines, all of the present template, is as wanted', () => {
    expect(of({ conditions: progress('True', 'NewMachineSetAvailable') })).toBe('as wanted');
    const empty = { replicas: 0, updatedReplicas: 0, availableReplicas: 0 };
    expect(of(empty, { wanted: 0 })).toBe('as wanted');
    expect(of({ availableReplicas: 2, preservedFailedReplicas: 1 })).toBe('as wanted');
  });

  test('is worked on while it scales or rolls out', () => {
    expect(of({ availableReplicas: 1 })).toBe(
      'Reconciling MachinesUnavailable: 3 machines are wanted: 1 available, 3 of the present template, 3 in all',
    );
    expect(of({ replicas: 4, updatedReplicas: 1 })).toBe(
      'Reconciling RollingOut: 3 machines are wanted: 3 available, 1 of the present template, 4 in all',
    );
    expect(of({ observedGeneration: 3 })).toContain('Reconciling');
    expect(of({}, { isDeleting: true })).toContain('Reconciling Deleting');
  });

  test('that is paused in the middle is not done, and not stalled either', () => {
    const conditions = progress('Unknown', 'DeploymentPaused', 'Deployment is paused');
    expect(of({ updatedReplicas: 1, conditions })).toContain(
      'Reconciling DeploymentPaused: Deployment is paused: 3 machines are wanted: 3',
    );
    expect(of({ conditions })).toBe('as wanted');
  });

  test('whose writes are refused goes on trying', () => {
    const conditions: Condition[] = [
      { type: 'ReplicaFailure', status: 'True', reason: 'FailedUpdate', message: 'no' },
    ];
    expect(of({ conditions })).toBe('Reconciling FailedUpdate: no');
    const refused = progress(
      'False',
      'MachineSetCreateError',
      'Failed to create: a webhook is down',
    );
    const said = 'Reconciling MachineSetCreateError: Failed to create: a webhook is down';
    expect(of({ conditions: refused })).toBe(said);
    expect(of({ replicas: 0, conditions: refused })).toBe(said);
  });
});

describe('a deployment is stalled', () => {
  test('past its deadline', () => {
    expect(of({ conditions: progress('False', 'ProgressDeadlineExceeded') })).toBe(
      'Stalled ProgressDeadlineExceeded: MachineSet "x" is said. See why its machines do not come up (kubectl get machines, status.failedMachines), then correct the template or set spec.rollbackTo',
    );
  });

  test('on the set before the template that was given up', () => {
    const message =
      'MachineSet "x" has timed out progressing; rolled back to "w" until it changes.';
    expect(of({ conditions: progress('False', 'ProgressDeadlineExceeded', message) })).toMatch(
      /then correct the template$/,
    );
  });

  test('by a spec that cannot be followed', () => {
    expect(of({ conditions: progress('False', 'InvalidSpec', 'spec.replicas: no') })).toBe(
      'Stalled InvalidSpec: spec.replicas: no. Correct the spec',
    );
    const conditions: Condition[] = [
      { type: 'ReplicaFailure', status: 'True', reason: 'InvalidSpec', message: 'no' },
    ];
    expect(of({ conditions })).toContain('Stalled InvalidSpec: no. Correct the spec');
  });

  test('while it is frozen', () => {
    const conditions: Condition[] = [{ type: 'Frozen', status: 'True', message: 'frozen: x' }];
    expect(of({ conditions })).toContain('Stalled Frozen: frozen: x. No machine is created');
  });

  test('by machines that need a person', () => {
    const lastOperation = {
      description: 'no such image',
      state: 'Failed',
      type: 'Create',
      errorCode: 'InvalidArgument',
    } as const;
    expect(of({ availableReplicas: 2, failedMachines: [{ name: 'a', lastOperation }] })).toContain(
      'Stalled InvalidSpec: Machine a: no such image. Correct the MachineClass',
    );
  });
});
