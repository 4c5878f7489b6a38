import { boundsOf } from './bounds.ts';
import { anObject } from './courtroom.ts';

test.each([
  { replicas: 10, maxSurge: '25%', maxUnavailable: '25%', most: 13, least: 8 },
  { replicas: 4, maxSurge: 1, maxUnavailable: 0, most: 5, least: 4 },
  { replicas: 4, maxSurge: 0, maxUnavailable: 0, most: 4, least: 3 },
  { replicas: 1, maxSurge: '0%', maxUnavailable: '10%', most: 1, least: 0 },
  { replicas: 2, maxSurge: 1, maxUnavailable: 5, most: 3, least: 0 },
])('$replicas, $maxSurge, $maxUnavailable', ({ most, least, replicas, ...rollingUpdate }) => {
  const strategy = { type: 'RollingUpdate', rollingUpdate };
  const deployment = anObject('MachineDeployment', 'pool', { spec: { replicas, strategy } });
  expect(boundsOf(deployment)).toEqual({ most, least });
});

test.each([
  { orchestrationType: 'Auto', maxSurge: 1, maxUnavailable: 1, most: 5, least: 3 },
  { orchestrationType: 'Manual', maxSurge: 1, maxUnavailable: 0, most: 4, least: 3 },
])('in place: $orchestrationType', ({ most, least, ...inPlaceUpdate }) => {
  const strategy = { type: 'InPlaceUpdate', inPlaceUpdate };
  const deployment = anObject('MachineDeployment', 'pool', { spec: { replicas: 4, strategy } });
  expect(boundsOf(deployment)).toEqual({ most, least });
});

test('another strategy has no surge, and no floor', () => {
  const strategy = { type: 'Recreate' };
  const deployment = anObject('MachineDeployment', 'pool', { spec: { replicas: 3, strategy } });
  expect(boundsOf(deployment)).toEqual({ most: 3, least: 0 });
});
