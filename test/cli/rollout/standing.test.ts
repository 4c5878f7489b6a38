import { standingOf } from '../../../cli/rollout/status.ts';
import { viewOf } from '../../../cli/objects/deployment-view.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { MachineSetStatus } from '../../../workflows/api/machine-set.ts';
import { options } from '../../../workflows/api/constants.ts';
import {
  aMachineDeployment,
  aMachineSet,
  aTemplate,
  controlledBy,
} from '../../support/builders.ts';

type Status = NonNullable<MachineDeployment['status']>;

const small = aTemplate();
const large = aTemplate({ spec: { class: { kind: 'MachineClass', name: 'large' } } });

function standing({
  status = {},
  restart,
  rollbackTo,
  present,
  old,
}: {
  status?: Status;
  restart?: string;
  rollbackTo?: { revision?: number };
  present?: MachineSetStatus;
  old?: MachineSetStatus;
}) {
  const notes = restart === undefined ? {} : { [options.restart]: restart };
  const deployment = aMachineDeployment({
    metadata: { annotations: notes },
    spec: { template: large, ...(rollbackTo && { rollbackTo }) },
    status: { observedGeneration: 1, ...status },
  });
  const metadata = { ownerReferences: controlledBy(deployment) };
  const sets = [
    aMachineSet({
      metadata: { ...metadata, name: 'old' },
      spec: { template: small },
      status: old ?? {},
    }),
    ...(present
      ? [
          aMachineSet({
            metadata: { ...metadata, name: 'new' },
            spec: { template: large },
            status: present,
          }),
        ]
      : []),
  ];
  return standingOf(viewOf({ deployment, sets }, 0));
}

const up = { replicas: 3, availableReplicas: 3 };
const progressing = (text: {
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message?: string;
}) => ({
  conditions: [{ type: 'Progressing', ...text }],
});

test.each([
  [
    'a spec that is not seen yet',
    { status: { observedGeneration: 0 }, present: up },
    'spec update',
  ],
  ['no set of the template', { old: up }, '0 out of 3 new replicas have been updated'],
  ['a few new ones', { present: { replicas: 1 }, old: up }, '1 out of 3 new replicas'],
  ['old ones', { present: up, old: { replicas: 2 } }, '2 old replicas are pending termination'],
  [
    'some that are not up',
    { present: { replicas: 3, availableReplicas: 2 } },
    '2 of 3 updated replicas are available',
  ],
  ['a restart that no worker has begun', { restart: 'now', present: up }, '0 out of 3'],
])('a rollout with %s is waited for', (_name, view, words) => {
  const { state, words: said } = standing(view);
  expect(state).toBe('progressing');
  expect(said).toContain(words);
});

test('one whose update in place failed is named, and waited for', () => {
  const lastOperation = { type: 'InPlaceUpdate', description: 'kubelet did not start' } as const;
  const old = { replicas: 2, failedMachines: [{ name: 'a', lastOperation }] };
  const { state, words } = standing({ present: { replicas: 1 }, old });
  expect(state).toBe('progressing');
  expect(words).toMatch(/An update in place failed: machine\/a: kubelet did not start$/);
});

test('it is complete when all are new, up and alone', () => {
  expect(standing({ present: up })).toEqual({
    state: 'complete',
    words: 'machinedeployment "workers" successfully rolled out',
  });
});

test('a hold is waited for, and named', () => {
  const status = progressing({ status: 'Unknown', reason: 'DeploymentPaused', message: 'Held' });
  const { state, words } = standing({ status, old: up });
  expect(state).toBe('progressing');
  expect(words).toContain('It stands still: Held');
});

const overdue = (set: string) =>
  progressing({
    status: 'False',
    reason: 'ProgressDeadlineExceeded',
    message: `MachineSet "${set}" has timed out progressing.`,
  });

test('past its deadline it has failed, unless that is said of another set', () => {
  const present = { replicas: 1 };
  expect(standing({ status: overdue('new'), present })).toMatchObject({ state: 'failed' });
  expect(standing({ status: overdue('old'), present })).toMatchObject({ state: 'progressing' });
});

test('a spec that cannot be followed has failed', () => {
  const status = progressing({ status: 'False', reason: 'InvalidSpec', message: 'no class' });
  expect(standing({ status })).toEqual({
    state: 'failed',
    words: 'error: machinedeployment "workers" cannot be rolled out: no class',
  });
});

test('a rollback that no worker has begun is not the end of the rollout before', () => {
  expect(standing({ present: up, rollbackTo: {} })).toMatchObject({
    state: 'progressing',
    words: expect.stringContaining('to be rolled back'),
  });
});

const stalled = (reason: string) => ({
  conditions: [
    { type: 'Stalled', status: 'True' as const, reason, message: 'no such class. Help' },
  ],
});

test('what kstatus calls Failed has failed, with what helps, where no deadline says so', () => {
  const present = { replicas: 1 };
  expect(standing({ status: stalled('InvalidSpec'), present })).toEqual({
    state: 'failed',
    words: 'error: machinedeployment "workers" gets no further by itself: no such class. Help',
    isByCondition: true,
  });
  const waits = standing({ status: stalled('ProgressDeadlineExceeded'), present });
  expect(waits).toMatchObject({ state: 'progressing' });
});
