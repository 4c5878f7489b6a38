/** A rollout in place: the agents of the stack take a second for each machine. */
import { customResource } from '../../kube/client/paths.ts';
import { measureUp, untilQuiet, type Bench, type Parts } from './measure.ts';
import { namespace, poolName } from './pool.ts';
import { measureTemplate } from './roll.ts';

const path = customResource('machinedeployments', namespace, poolName);

/** Scales the pool up first. `limitSeconds`: the rollout fails after so long. */
export async function* measureInPlace(bench: Bench, machines: number, limitSeconds: number): Parts {
  const inPlaceUpdate = { maxSurge: 0, maxUnavailable: '10%', orchestrationType: 'Auto' };
  const strategy = { type: 'InPlaceUpdate', rollingUpdate: null, inPlaceUpdate };
  await bench.kube.patch(path, 'merge', { spec: { strategy } });
  yield await measureUp(bench, machines);
  await untilQuiet(bench);
  const template = { metadata: { annotations: { 'example.com/image': 'two' } } };
  yield await measureTemplate(bench, { name: 'in-place', machines, limitSeconds, template });
}
