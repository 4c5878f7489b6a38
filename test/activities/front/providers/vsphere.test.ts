import { credentialsOf } from '../../../../activities/drivers/vsphere/credentials.ts';
import { validateProviderSpec } from '../../../../activities/drivers/vsphere/validate.ts';
import { translate } from '../../../../activities/front/providers/translate.ts';
import { vsphere } from '../../../../activities/front/providers/vsphere.ts';
import { checkTable, defaultPool } from './golden.ts';

const fields =
  'templateVMName vmNetName networks username password vsphereURL datacenter cluster folder resourcePool datastoreCluster datastore cpus memoryMB diskSizeGB tags allowInsecure vmAntiAffinity vmGroup';

const uuid = '42163C1F-7C2F-4C1E-9F0D-2B6A3B7B7B7B';
const account = {
  username: 'machines@vsphere.local',
  password: 'a-secret-word',
  vsphereURL: 'https://vcenter.example.com:8443',
};
const machine = {
  templateVMName: 'templates/ubuntu-24.04',
  networks: ['nodes'],
  resourcePool: 'cluster-1/Resources/pool-1',
  datastore: 'datastore-1',
};

checkTable('vsphere', vsphere, {
  validate: validateProviderSpec,
  fields: fields.split(' '),
  said: {
    ...machine,
    ...account,
    datacenter: 'DC0',
    folder: '/DC0/vm/kubernetes',
    cpus: 4,
    memoryMB: 8192,
    diskSizeGB: 50,
    allowInsecure: 'true',
  },
  refused: {
    ...account,
    vsphereURL: 'http://vcenter.example.com',
    networks: ['nodes', 'storage'],
    cluster: 'cluster-1',
    datastoreCluster: 'pod-1',
    datastore: 'datastore-1',
    tags: [{ name: 'owner', categoryID: 'category-1' }],
    vmAntiAffinity: true,
    vmGroup: 'group-1',
    cpu: 2,
  },
  pool: { operatingSystem: 'flatcar' },
  providerIDs: [
    [`vsphere://${uuid}`, { value: `vsphere:///${uuid.toLowerCase()}` }],
    ['vsphere://vm-1', { fault: '"vsphere://vm-1" is not of the form vsphere://UUID' }],
  ],
});

const read = (spec: object, env: Record<string, string> = {}) =>
  translate(vsphere, { ...spec }, { pool: defaultPool, env });

test('what machine-controller takes of the template has to be written', () => {
  const { faults } = read({ ...account, templateVMName: 't' });
  expect(faults.map((fault) => fault.split(' is missing')[0])).toEqual([
    'cloudProviderSpec.networks',
    'cloudProviderSpec.resourcePool',
    'cloudProviderSpec.datastore',
  ]);
});

test('a cluster stands for its pool where there is none, and the old field for the network', () => {
  const spec = { ...account, ...machine, networks: [], vmNetName: 'old', resourcePool: '' };
  const made = read({ ...spec, cluster: 'cluster-1' });
  expect(made.faults).toEqual([]);
  expect(made.providerSpec).toMatchObject({ network: 'old', computeCluster: 'cluster-1' });
  expect(made.ignored).toEqual([expect.stringContaining('root resource pool')]);
  const beside = read({ ...account, ...machine, cluster: 'cluster-1' });
  expect(beside.providerSpec).not.toHaveProperty('computeCluster');
});

test('the driver reads the credentials, those of variables too', () => {
  const env = {
    VSPHERE_USERNAME: 'u',
    VSPHERE_PASSWORD: 'p',
    VSPHERE_ADDRESS: 'https://vcenter.example.com',
    VSPHERE_ALLOW_INSECURE: '1',
  };
  const { faults, credentials } = read(machine, env);
  expect(faults).toEqual([]);
  expect(credentialsOf(credentials, {})).toMatchObject({
    url: new URL('https://vcenter.example.com/sdk'),
    username: 'u',
    password: 'p',
    isInsecure: true,
  });
});
