/** A pool tells the cluster autoscaler what its first Node will be like. */
import { customResource } from '../../../kube/client/paths.ts';
import { aMachineClass, aMachineDeployment, namespace } from '../../support/builders.ts';
import { DeploymentWorld, nextTemplate } from './deployment-world.ts';

const key = 'capacity.cluster-autoscaler.kubernetes.io/cpu';
const asks = 'millwright.dev/scale-from-zero';
const classPath = customResource('machineclasses', namespace, 'small');
const nodeTemplate = {
  capacity: { cpu: '2', memory: '4Gi', gpu: '0' },
  instanceType: 'small',
  region: 'local',
  zone: 'a',
};

async function aPool(annotations: Record<string, string>): Promise<DeploymentWorld> {
  const pool = new DeploymentWorld(
    aMachineDeployment({ metadata: { annotations } }),
    aMachineClass({ nodeTemplate }),
  );
  await pool.step();
  await pool.survey();
  return pool;
}

const cpuOf = async (pool: DeploymentWorld): Promise<string | undefined> =>
  (await pool.deployment()).metadata.annotations?.[key];

test('it gets what its class says, once, and what the class says later', async () => {
  const pool = await aPool({ [asks]: 'true' });
  expect(await cpuOf(pool)).toBe('2');
  const before = pool.control.writes().length;
  await pool.survey();
  expect(pool.control.writes()).toHaveLength(before);
  await pool.control.patch(classPath, 'merge', { nodeTemplate: { capacity: { cpu: '8' } } });
  await pool.survey();
  expect(await cpuOf(pool)).toBe('8');
});

test('a pool that does not ask gets nothing, and its class is not read for it', async () => {
  const pool = await aPool({});
  expect(await cpuOf(pool)).toBeUndefined();
  expect(pool.control.calls.filter((call) => call.includes(classPath))).toEqual([]);
});

test('it follows a class that was read a moment ago, with the deployment long seen', async () => {
  const pool = await aPool({ [asks]: 'true' });
  const atLeast = (await pool.deployment()).metadata.resourceVersion;
  await pool.control.patch(classPath, 'merge', { providerSpec: { image: 'next' } });
  await pool.survey({ atLeast });
  await pool.control.patch(classPath, 'merge', { nodeTemplate: { capacity: { cpu: '8' } } });
  await pool.survey({ atLeast });
  expect(await cpuOf(pool)).toBe('8');
});

test('after a rollback it is that of the class of then, and still follows the class', async () => {
  const large = { name: 'large', nodeTemplate: { ...nodeTemplate, capacity: { cpu: '8' } } };
  const pool = new DeploymentWorld(
    aMachineDeployment({ metadata: { annotations: { [asks]: 'true' } } }),
    aMachineClass({ nodeTemplate }),
    aMachineClass({ metadata: { name: large.name }, nodeTemplate: large.nodeTemplate }),
  );
  await pool.settle();
  await pool.change({ spec: { template: nextTemplate } });
  await pool.settle();
  expect(await cpuOf(pool)).toBe('8');
  await pool.change({ spec: { rollbackTo: {} } });
  await pool.settle();
  expect(await cpuOf(pool)).toBe('2');
  await pool.change({ spec: { template: nextTemplate } });
  await pool.settle();
  expect(await cpuOf(pool)).toBe('8');
});

test('a class that is not there is no fault', async () => {
  const pool = new DeploymentWorld(
    aMachineDeployment({ metadata: { annotations: { [asks]: 'true' } } }),
  );
  await pool.survey();
  expect(await cpuOf(pool)).toBeUndefined();
});
