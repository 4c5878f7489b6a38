import { expect, test } from '@jest/globals';
import { applyDeploymentStep } from '../../../activities/machine-deployment/apply.ts';
import { surveyMachineDeployment } from '../../../activities/machine-deployment/survey.ts';
import { customResource } from '../../../activities/kube/paths.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type {
  DeploymentStep,
  DeploymentSurvey,
} from '../../../workflows/plan/machine-deployment.ts';
import { planMachineDeployment } from '../../../workflows/plan/machine-deployment.ts';
import { aMachineDeployment, namespace } from '../../support/builders.ts';
import { MemoryKube } from '../../support/memory-kube.ts';
import { lifeOf } from '../../support/world.ts';

const deployment = lifeOf('workers');
const path = customResource('machinedeployments', namespace, 'workers');

async function survey(control: MemoryKube): Promise<DeploymentSurvey> {
  const outcome = await surveyMachineDeployment(control, deployment);
  if (!outcome.found) throw new Error('the deployment is gone');
  return outcome.survey;
}

/** One look and one step, as the workflow does them. */
async function step(control: MemoryKube): Promise<DeploymentStep> {
  const planned = planMachineDeployment(await survey(control));
  if (planned.action !== 'wait') await applyDeploymentStep(control, { deployment, step: planned });
  return planned;
}

async function setsOf(control: MemoryKube): Promise<MachineSet[]> {
  return (await control.list<MachineSet>(customResource('machinesets', namespace))).items;
}

function scale(control: MemoryKube, replicas: number | null): Promise<unknown> {
  return control.patch(path, 'merge', { spec: { replicas } });
}

test('makes its set, with the hash in labels and selector, and then waits', async () => {
  const annotations = { note: 'x', 'millwright.dev/hold': 'y' };
  const control = new MemoryKube(aMachineDeployment({ metadata: { annotations } }));
  expect((await step(control)).action).toBe('createSet');
  const [set] = await setsOf(control);
  const hash = set?.metadata.labels?.['machine-template-hash'];
  expect(set).toMatchObject({
    metadata: {
      annotations: {
        note: 'x',
        'deployment.kubernetes.io/desired-replicas': '3',
        'deployment.kubernetes.io/max-replicas': '4',
        'deployment.kubernetes.io/revision': '1',
      },
      ownerReferences: [{ kind: 'MachineDeployment', uid: deployment.uid, controller: true }],
    },
    spec: {
      replicas: 3,
      selector: { matchLabels: { pool: 'a', 'machine-template-hash': hash } },
      template: { metadata: { labels: { pool: 'a', 'machine-template-hash': hash } } },
    },
  });
  expect(set?.metadata.annotations).not.toHaveProperty('millwright.dev/hold');
  expect((await step(control)).action).toBe('wait');
});

test('a create whose answer was lost makes no second set', async () => {
  const control = new MemoryKube(aMachineDeployment());
  const planned = planMachineDeployment(await survey(control));
  if (planned.action !== 'createSet') throw new Error(planned.action);
  await applyDeploymentStep(control, { deployment, step: planned });
  await applyDeploymentStep(control, { deployment, step: planned });
  expect(await setsOf(control)).toHaveLength(1);
});

test.each([
  { name: 'up', replicas: 10, expected: 10 },
  { name: 'to none', replicas: 0, expected: 0 },
  { name: 'to the default of none, when the field is taken away', replicas: null, expected: 0 },
])('scales its set $name', async ({ replicas, expected }) => {
  const control = new MemoryKube(aMachineDeployment());
  await step(control);
  await scale(control, replicas);
  expect((await step(control)).action).toBe('scaleSet');
  const [set] = await setsOf(control);
  expect(set?.spec.replicas).toBe(expected);
  expect((await step(control)).action).toBe('wait');
});

test('a set that was written meanwhile is planned anew, not overwritten', async () => {
  const control = new MemoryKube(aMachineDeployment());
  await step(control);
  await scale(control, 10);
  const planned = planMachineDeployment(await survey(control));
  const [set] = await setsOf(control);
  await control.patch(customResource('machinesets', namespace, set?.metadata.name), 'merge', {
    metadata: { annotations: { touched: 'yes' } },
  });
  if (planned.action !== 'scaleSet') throw new Error(planned.action);
  await applyDeploymentStep(control, { deployment, step: planned });
  expect((await setsOf(control))[0]?.spec.replicas).toBe(3);
});

test('deletes its sets, then lets the object go', async () => {
  const control = new MemoryKube(aMachineDeployment());
  await step(control);
  await control.delete(path);
  expect((await step(control)).action).toBe('deleteSets');
  expect((await step(control)).action).toBe('wait');
  const [set] = await setsOf(control);
  const metadata = { finalizers: [] };
  await control.patch(customResource('machinesets', namespace, set?.metadata.name), 'merge', {
    metadata,
  });
  expect((await step(control)).action).toBe('release');
  expect(control.has(path)).toBe(false);
});

test('the status says what autoscaler and people look for, and is written once', async () => {
  const control = new MemoryKube(aMachineDeployment());
  await step(control);
  await step(control);
  const { status } = await control.read<MachineDeployment>(path);
  expect(status?.conditions).toMatchObject([
    { type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable' },
    { type: 'Progressing', status: 'True', reason: 'MachineSetUpdated' },
  ]);
  const writes = control.writes().length;
  await step(control);
  expect(control.writes()).toHaveLength(writes);
});
