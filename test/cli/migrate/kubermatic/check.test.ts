import { check } from '../../../../cli/migrate/kubermatic/check.ts';
import type { MigrateOptions } from '../../../../cli/migrate/options.ts';
import { namespace, paths, TheirCluster } from './their-cluster.ts';

export const options: MigrateOptions = {
  from: 'kubermatic',
  machineController: { namespace, name: 'machine-controller' },
  instancesTagged: false,
  mcmDeployments: [],
  externalProviders: [],
  timeoutSeconds: 600,
};

test('x', async () => {
  const cluster = new TheirCluster();
  const { text } = await check({ kube: cluster, namespace }, options);
  expect(text).toBe('');
});
