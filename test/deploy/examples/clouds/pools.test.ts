/** The pools to begin with are taken as they stand, but for what a reader puts in. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDrivers } from '../../../../activities/drivers/index.ts';
import { customResource, namespaced } from '../../../../kube/client/paths.ts';
import { annotations } from '../../../../workflows/api/constants.ts';
import { machineDeploymentFaults } from '../../../../workflows/api/validation.ts';
import { InMemoryClient } from '../../../support/api-server/in-memory-client.ts';
import { files, folder, poolIn } from './pools.ts';

test('there is one for each cloud, and two for AWS', () => {
  expect(files.toSorted()).toEqual([
    'aws-eks.yaml',
    'aws-kubeadm.yaml',
    'azure-kubeadm.yaml',
    'gcp-kubeadm.yaml',
  ]);
});

test.each(['aws', 'azure', 'gcp'])(
  '%s.yaml, with every field, names the one to begin with',
  (cloud) => {
    const [, top = ''] =
      /^((?:#.*\n)+)/.exec(readFileSync(join(folder, `${cloud}.yaml`), 'utf8')) ?? [];
    expect(top.replaceAll(/\n# /g, ' ')).toContain('cannot be applied');
    expect(top).toContain(`${cloud}-kubeadm.yaml`);
  },
);

describe.each(files)('%s', (file) => {
  const pool = poolIn(file);
  const { secret, configMap, machineClass, deployment } = pool;

  test('is taken by the API server as it is, and nothing of it is dropped', async () => {
    const client = new InMemoryClient();
    const created = [
      await client.create(namespaced('secrets', 'machines'), secret),
      await client.create(customResource('machineclasses', 'machines'), machineClass),
      await client.create(customResource('machinedeployments', 'machines'), deployment),
    ];
    expect(created).toMatchObject([{}, machineClass, deployment]);
    expect(machineDeploymentFaults(deployment)).toEqual([]);
  });

  test('has no fault for its driver, and no key that the driver ignores', () => {
    const drivers = createDrivers({ env: {}, allowsAmbientCredentials: false });
    const driver = drivers.get(machineClass.provider ?? '');
    expect(driver?.validate(machineClass.providerSpec)).toEqual([]);
    expect(driver?.warnings?.(machineClass.providerSpec)).toEqual([]);
  });

  test('has parts that belong together', () => {
    expect(machineClass.secretRef).toEqual({ name: secret.metadata.name });
    expect(deployment.spec.template.spec?.class?.name).toBe(machineClass.metadata.name);
    const asked = machineClass.metadata.annotations?.[annotations.userDataConfig];
    expect(asked).toBe(configMap?.metadata.name);
    expect(deployment.spec.template.metadata?.labels).toEqual(
      deployment.spec.selector?.matchLabels,
    );
  });
});
