import { expect, test } from '@jest/globals';
import { surveyMachineSet } from '../../../activities/machine-set/survey.ts';
import { customResource } from '../../../activities/kube/paths.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { aMachine, aMachineSet, controlledBy, namespace } from '../../support/builders.ts';
import { MemoryKube } from '../../support/memory-kube.ts';

const input = { set: { namespace, name: 'pool' } };
const path = customResource('machinesets', namespace, 'pool');
const ownerReferences = controlledBy(aMachineSet());
const labels = { pool: 'a' };

const ours = (name: string, phase: 'Running' | 'Failed' | 'Pending') =>
  aMachine({ phase, metadata: { name, labels, ownerReferences } });

test('counts its machines and reports them', async () => {
  const machines = [ours('pool-a', 'Running'), ours('pool-b', 'Pending')];
  const control = new MemoryKube(aMachineSet(), ...machines);
  expect(await surveyMachineSet(control, input)).toMatchObject({
    found: true,
    uid: 'uid-of-pool',
    survey: { total: 2, present: 2, demand: { replicas: 3, isFrozen: false, faults: [] } },
  });
  expect((await control.read<MachineSet>(path)).status).toMatchObject({
    replicas: 2,
    readyReplicas: 1,
    availableReplicas: 1,
    fullyLabeledReplicas: 2,
    observedGeneration: 1,
  });
});

test('a second look at the same writes nothing', async () => {
  const control = new MemoryKube(aMachineSet(), ours('pool-a', 'Running'));
  await surveyMachineSet(control, input);
  const writes = control.writes().length;
  await surveyMachineSet(control, input);
  expect(control.writes()).toHaveLength(writes);
});

test('an orphan that it selects is adopted, one of another set is not', async () => {
  const other = controlledBy(aMachineSet({ metadata: { name: 'other' } }));
  const control = new MemoryKube(
    aMachineSet(),
    aMachine({ metadata: { name: 'orphan', labels } }),
    aMachine({ metadata: { name: 'foreign', labels, ownerReferences: other } }),
    aMachine({ metadata: { name: 'unlike', labels: { pool: 'b' } } }),
  );
  expect(await surveyMachineSet(control, input)).toMatchObject({ survey: { total: 1 } });
  const machine = await control.read<Machine>(customResource('machines', namespace, 'orphan'));
  expect(machine.metadata.ownerReferences).toEqual(ownerReferences);
});

test('a set without a selector adopts nothing and says what is wrong', async () => {
  const set = aMachineSet();
  delete set.spec.selector;
  const control = new MemoryKube(set, aMachine({ metadata: { labels } }));
  expect(await surveyMachineSet(control, input)).toMatchObject({ survey: { total: 0 } });
  expect((await control.read<MachineSet>(path)).status?.machineSetCondition).toMatchObject([
    { type: 'ReplicaFailure', status: 'True', reason: 'InvalidSpec' },
  ]);
});

test('the error of the last batch is a condition, and goes when it is over', async () => {
  const control = new MemoryKube(aMachineSet());
  await surveyMachineSet(control, { ...input, error: 'exceeded quota' });
  expect((await control.read<MachineSet>(path)).status?.machineSetCondition).toMatchObject([
    { type: 'ReplicaFailure', reason: 'FailedCreate', message: 'exceeded quota' },
  ]);
  await surveyMachineSet(control, input);
  expect((await control.read<MachineSet>(path)).status?.machineSetCondition).toBeUndefined();
});

test.each([{ freeze: 'True' }, { 'node.machine.sapcloud.io/scale-up-disabled': '' }])(
  'a set with the label %j is frozen',
  async (setLabels) => {
    const control = new MemoryKube(aMachineSet({ metadata: { labels: setLabels } }));
    expect(await surveyMachineSet(control, input)).toMatchObject({
      survey: { demand: { isFrozen: true } },
    });
  },
);

test('no such set', async () => {
  expect(await surveyMachineSet(new MemoryKube(), input)).toEqual({ found: false });
});
