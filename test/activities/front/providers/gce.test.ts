import { credentialsOf } from '../../../../activities/drivers/gcp/credentials.ts';
import { validateProviderSpec } from '../../../../activities/drivers/gcp/validate.ts';
import { gce } from '../../../../activities/front/providers/gce.ts';
import { translate } from '../../../../activities/front/providers/translate.ts';
import { checkTable, defaultPool } from './golden.ts';

const key = JSON.stringify({
  type: 'service_account',
  project_id: 'mine',
  private_key: 'a-secret-key',
  client_email: 'machines@mine.iam.gserviceaccount.com',
});
const least = { serviceAccount: key, zone: 'europe-west1-b', machineType: 'n2-standard-4' };

checkTable('gce', gce, {
  validate: validateProviderSpec,
  fields: [
    'serviceAccount',
    'zone',
    'machineType',
    'diskSize',
    'diskType',
    'network',
    'subnetwork',
    'preemptible',
    'automaticRestart',
    'provisioningModel',
    'labels',
    'tags',
    'assignPublicIPAddress',
    'multizone',
    'regional',
    'customImage',
    'disableMachineServiceAccount',
    'enableNestedVirtualization',
    'minCPUPlatform',
    'guestOSFeatures',
    'projectID',
  ],
  said: {
    ...least,
    serviceAccount: Buffer.from(key).toString('base64'),
    diskSize: 50,
    diskType: 'pd-ssd',
    network: 'global/networks/net',
    subnetwork: 'regions/europe-west1/subnetworks/nodes',
    preemptible: true,
    automaticRestart: false,
    provisioningModel: 'SPOT',
    labels: { team: 'blue' },
    tags: ['workers', 'kubernetes-io-cluster-abc'],
    assignPublicIPAddress: true,
    multizone: true,
    regional: true,
    customImage: 'my-ubuntu',
    disableMachineServiceAccount: false,
    enableNestedVirtualization: true,
    minCPUPlatform: 'Intel Ice Lake',
    projectID: 'mine',
  },
  refused: {
    serviceAccount: 'a-secret-key',
    zone: 'europe-west1-b',
    network: 'projects/other/global/networks/net',
    subnetwork: 'regions/us-east1/subnetworks/nodes',
    provisioningModel: 'FLEX_START',
    guestOSFeatures: ['GVNIC'],
  },
  pool: { network: { ipFamily: 'IPv4+IPv6' } },
  providerIDs: [
    ['gce://mine/europe-west1-b/x-1', { value: 'gce:///mine/europe-west1-b/x-1' }],
    ['gce://x', { fault: '"gce://x" is not of the form gce://PROJECT/ZONE/NAME' }],
  ],
});

test('what machine-controller or Google takes by itself is taken here', () => {
  const { providerSpec, faults } = translate(gce, least, { pool: defaultPool, env: {} });
  expect([...faults, ...validateProviderSpec(providerSpec)]).toEqual([]);
  expect(providerSpec).toMatchObject({
    region: 'europe-west1',
    disks: [{ sizeGb: 25, type: 'pd-standard', image: expect.stringContaining('ubuntu-2404') }],
    networkInterfaces: [{ network: 'default', disableExternalIP: false }],
    scheduling: { onHostMaintenance: 'MIGRATE', automaticRestart: true },
    tags: ['front-kubernetes-io-cluster-example', 'front-kubernetes-io-role-node'],
  });
});

test('a project of its own goes before that of the key, as theirs does', () => {
  const { credentials } = translate(
    gce,
    { ...least, projectID: 'other' },
    { pool: defaultPool, env: {} },
  );
  expect(credentialsOf(credentials)?.project).toBe('other');
});
