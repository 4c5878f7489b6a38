import { customResource } from '../../../kube/client/paths.ts';
import { applyDeploymentSteps } from '../../../activities/machine-deployment/apply.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import {
  aMachineDeployment,
  aMachineSet,
  controlledBy,
  namespace,
} from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { lifeOf, placeOf } from '../../support/world.ts';

const pathOf = (name: string): string => customResource('machinesets', namespace, name);
const deployment = aMachineDeployment();
const input = {
  deployment: lifeOf('workers'),
  steps: [{ action: 'deleteSets' as const, names: ['old-1', 'old-2'], reason: 'history' }],
  scaling: { desired: 3, max: 4 },
};

function oldSet(name: string, replicas = 0, owner: object = deployment): MachineSet {
  const ownerReferences = controlledBy({ ...deployment, ...owner });
  return aMachineSet({ metadata: { name, ownerReferences, finalizers: [] }, spec: { replicas } });
}

test('old sets without machines go, with UID and resourceVersion as preconditions', async () => {
  const control = new InMemoryClient(deployment, oldSet('old-1'), oldSet('old-2'));
  expect(await applyDeploymentSteps(placeOf(control), input)).toEqual({ written: [] });
  expect(control.has(pathOf('old-1')) || control.has(pathOf('old-2'))).toBe(false);
  const preconditions = { uid: 'uid-of-old-1', resourceVersion: expect.any(String) };
  expect(control.bodies).toContainEqual({ preconditions });
});

test.each([
  { name: 'that was scaled up again', set: oldSet('old-1', 3) },
  {
    name: 'of another deployment',
    set: oldSet('old-1', 0, aMachineDeployment({ metadata: { name: 'other' } })),
  },
])('an old set $name stays', async ({ set }) => {
  const control = new InMemoryClient(deployment, set, oldSet('old-2'));
  await applyDeploymentSteps(placeOf(control), input);
  expect(control.has(pathOf('old-1'))).toBe(true);
  expect(control.has(pathOf('old-2'))).toBe(false);
});

test('a set that changes between the look and the call stays', async () => {
  const control = new InMemoryClient(deployment, oldSet('old-1'));
  control.fault = ({ method }) => {
    if (method === 'DELETE') control.put(oldSet('old-1', 3));
    return undefined;
  };
  await applyDeploymentSteps(placeOf(control), input);
  expect(control.has(pathOf('old-1'))).toBe(true);
});

test('a set of a deployment that goes is deleted also where its status is written meanwhile', async () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  const goes = aMachineDeployment({ metadata: { deletionTimestamp } });
  const control = new InMemoryClient(goes, oldSet('old-1', 3));
  let writes = 0;
  control.fault = ({ method }) => {
    writes += method === 'DELETE' ? 1 : 0;
    const isFirst = method === 'DELETE' && writes === 1;
    if (isFirst) control.put({ ...oldSet('old-1', 3), status: { replicas: 2 } });
    return undefined;
  };
  await applyDeploymentSteps(placeOf(control), input);
  expect(control.has(pathOf('old-1'))).toBe(false);
});

test.each([
  { name: 'is gone', stored: [] },
  { name: 'has a successor', stored: [aMachineDeployment({ metadata: { uid: 'uid-2' } })] },
  {
    name: 'lets its sets go',
    stored: [
      aMachineDeployment({
        metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['orphan'] },
      }),
    ],
  },
])('a deployment that $name deletes no set', async ({ stored }) => {
  const control = new InMemoryClient(...stored, oldSet('old-1'), oldSet('old-2'));
  await applyDeploymentSteps(placeOf(control), input);
  expect(control.writes()).toEqual([]);
});

test('a set whose deletion is refused keeps no other, and is said', async () => {
  const control = new InMemoryClient(deployment, oldSet('old-1'), oldSet('old-2'));
  control.fault = ({ method, path }) =>
    method === 'DELETE' && path === pathOf('old-1')
      ? { code: 403, reason: 'Forbidden', message: 'kept for forensics' }
      : undefined;
  const outcome = await applyDeploymentSteps(placeOf(control), input);
  expect(outcome.refused).toMatchObject({
    names: ['MachineSet/old-1'],
    message: expect.stringContaining('kept for forensics'),
  });
  expect(control.has(pathOf('old-2'))).toBe(false);
});
