import { explainDeployment } from '../../cli/explain/pools.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import { aMachineDeployment } from '../support/builders.ts';
import { anInstall, minutesAgo, now } from './diagnosis/objects.ts';

const explained = (deployment: MachineDeployment) =>
  explainDeployment({ deployment, sets: [] }, anInstall());

test('a pool is as it is since the reason was written, not since the status of a condition', () => {
  const progressing = {
    type: 'Progressing',
    status: 'True',
    reason: 'NewMachineSetAvailable',
    lastTransitionTime: minutesAgo(85),
    lastUpdateTime: minutesAgo(5),
  } as const;
  const { since } = explained(aMachineDeployment({ status: { conditions: [progressing] } }));
  expect(since).toBe(now - 5 * 60_000);
});

const pausedBy = (fields: unknown, paused = true): string[] => {
  const deployment = aMachineDeployment({ spec: { paused } });
  Object.assign(deployment.metadata, { managedFields: fields });
  const { facts } = explained(deployment);
  return facts.filter(({ name }) => name === 'Paused by').map(({ value }) => value);
};

describe('who paused a pool', () => {
  const managedFields = [
    { manager: 'kubectl', time: minutesAgo(60), fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
    { manager: 'millwright-cli', time: minutesAgo(5), fieldsV1: { 'f:spec': { 'f:paused': {} } } },
    { manager: 'millwright', time: minutesAgo(1), fieldsV1: { 'f:status': {} } },
  ];

  test('is who wrote the field, with when', () => {
    expect(pausedBy(managedFields)).toEqual(['millwright-cli, 5m ago']);
  });

  test('is not said where nobody did, or where it is not known', () => {
    expect(pausedBy(managedFields, false)).toEqual([]);
    expect(pausedBy(undefined)).toEqual([]);
    expect(pausedBy([{ manager: 'kubectl', fieldsV1: 'x' }])).toEqual([]);
  });
});
