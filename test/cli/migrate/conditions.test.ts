import { customResource } from '../../../kube/client/paths.ts';
import { forgetConditions } from '../../../cli/migrate/hand-back.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import { aMachineDeployment, namespace } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

const available = { type: 'Available', status: 'True' } as const;
const deploymentWith = (name: string, ...types: string[]): MachineDeployment =>
  aMachineDeployment({
    metadata: { name },
    status: {
      replicas: 1,
      conditions: [available, ...types.map((type) => ({ type, status: 'True' as const }))],
    },
  });

test('what MCM would copy for ever goes, all else stays, and an object without it is not written', async () => {
  const kube = new InMemoryClient(deploymentWith('stuck', 'Stalled'), deploymentWith('well'));
  await forgetConditions(kube, namespace);
  const path = customResource('machinedeployments', namespace, 'stuck');
  expect((await kube.read<MachineDeployment>(path)).status).toEqual({
    replicas: 1,
    conditions: [available],
  });
  expect(kube.writes()).toHaveLength(1);
});

const pathOf = (name: string) => customResource('machinedeployments', namespace, name);

test('one that is deleted meanwhile keeps the others from nothing', async () => {
  const kube = new InMemoryClient(
    deploymentWith('gone', 'Stalled'),
    deploymentWith('old', 'Stalled'),
  );
  kube.fault = ({ method, path }) =>
    method === 'PATCH' && path.startsWith(pathOf('gone'))
      ? { code: 404, reason: 'NotFound' }
      : undefined;
  await forgetConditions(kube, namespace);
  expect((await kube.read<MachineDeployment>(pathOf('old'))).status?.conditions).toEqual([
    available,
  ]);
});
