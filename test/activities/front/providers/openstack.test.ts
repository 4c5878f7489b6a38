import { validateProviderSpec } from '../../../../activities/drivers/openstack/validate.ts';
import { openstack } from '../../../../activities/front/providers/openstack.ts';
import { translate } from '../../../../activities/front/providers/translate.ts';
import { checkTable, defaultPool } from './golden.ts';

const fields =
  'identityEndpoint username password applicationCredentialID applicationCredentialSecret domainName projectName projectID tenantName tenantID tokenId region instanceReadyCheckPeriod instanceReadyCheckTimeout computeAPIVersion image flavor securityGroups network networks subnet floatingIpPool availabilityZone trustDevicePath rootDiskSizeGB rootDiskVolumeType nodeVolumeAttachLimit serverGroup configDrive disablePortSecurity tags';

const uuid = '0b1c5f0e-5b2f-4f5c-8a52-6ef0ac2f9f10';
const user = {
  identityEndpoint: 'https://keystone.example.com:5000/v3',
  username: 'machines',
  password: 'a-secret-word',
  domainName: 'Default',
  projectName: 'project',
  projectID: 'project-id',
};
const server = {
  region: 'RegionOne',
  image: 'Ubuntu 24.04',
  flavor: 'm1.small',
  network: 'nodes',
  availabilityZone: 'nova',
};

checkTable('openstack', openstack, {
  validate: validateProviderSpec,
  fields: fields.split(' '),
  said: {
    ...user,
    region: 'RegionOne',
    instanceReadyCheckPeriod: '5s',
    instanceReadyCheckTimeout: '10s',
    computeAPIVersion: '2.67',
    image: 'Ubuntu 24.04',
    flavor: 'm1.small',
    securityGroups: ['workers', 'ssh'],
    networks: ['nodes', uuid],
    subnet: 'subnet-1',
    availabilityZone: 'nova',
    trustDevicePath: true,
    rootDiskSizeGB: 50,
    rootDiskVolumeType: 'fast',
    nodeVolumeAttachLimit: 20,
    serverGroup: uuid,
    configDrive: true,
    tags: { team: 'blue' },
  },
  refused: {
    tokenId: 'a-token',
    floatingIpPool: 'public',
    disablePortSecurity: true,
    configDrive: 'perhaps',
    tags: { 'machine-uid': 'uid-1' },
    securityGroup: 'workers',
  },
  providerIDs: [
    [`openstack:///${uuid}`, { value: `openstack:///RegionOne/${uuid}` }],
    [`openstack:///RegionOne/${uuid}`, { value: `openstack:///RegionOne/${uuid}` }],
    ['openstack:///x', { fault: '"openstack:///x" is not of the form openstack:///UUID' }],
  ],
});

const read = (spec: object, env: Record<string, string> = {}) =>
  translate(openstack, { ...spec }, { pool: defaultPool, env });

test('an application credential goes before a user, wherever it stands', () => {
  const id = { applicationCredentialID: 'id', applicationCredentialSecret: 'secret' };
  const authURL = user.identityEndpoint;
  expect(read({ ...user, ...id }).credentials).toEqual({ authURL, ...id });
  const env = {
    OS_AUTH_URL: authURL,
    OS_APPLICATION_CREDENTIAL_ID: 'id',
    OS_APPLICATION_CREDENTIAL_SECRET: 'secret',
  };
  expect(read({ ...user }, env).credentials).toEqual({ authURL, ...id });
  const { applicationCredentialID: _, ...others } = { ...user, ...server, ...id };
  expect(read(others)).toMatchObject({ faults: [], credentials: { password: user.password } });
});

test('of a user, project goes before tenant, and variables are those of machine-controller', () => {
  const env = {
    OS_AUTH_URL: 'https://keystone.example.com',
    OS_USER_NAME: 'old',
    OS_USERNAME: 'new',
    OS_PASSWORD: 'p',
    OS_DOMAIN_NAME: 'd',
    OS_TENANT_NAME: 'tenant',
    OS_REGION_NAME: 'env-region',
  };
  const { region: _, ...rest } = server;
  const made = read({ ...rest, projectName: 'project' }, env);
  expect(made.faults).toEqual([]);
  expect(made.providerSpec).toMatchObject({ spec: { region: 'env-region' } });
  expect(made.credentials).toEqual({
    authURL: 'https://keystone.example.com',
    username: 'new',
    password: 'p',
    domainName: 'd',
    tenantName: 'project',
  });
});

test('what machine-controller asks the cloud for has to be written, but for its security group', () => {
  const made = read({ ...user, image: 'i', flavor: 'f' });
  expect(made.faults.map((fault) => fault.split(' is missing')[0])).toEqual([
    'cloudProviderSpec.region',
    'cloudProviderSpec.availabilityZone',
    'cloudProviderSpec.network',
  ]);
  expect(made.providerSpec).toMatchObject({ spec: { securityGroups: ['kubernetes-v1'] } });
  expect(made.ignored).toEqual([expect.stringContaining('group kubernetes-v1 is taken')]);
});

test('network and networks are one list, and neither key of a server of ours is theirs', () => {
  const spec = { ...user, ...server, networks: ['other', 'nodes'] };
  expect(read(spec).providerSpec).toMatchObject({
    spec: { networks: [{ name: 'nodes' }, { name: 'other' }] },
  });
  const tags = { 'kubernetes.io-cluster-a': '', 'kubernetes.io-role-b': '' };
  expect(read({ ...spec, tags }).faults).toEqual([expect.stringContaining('Rename one')]);
});

test('a server that Millwright made is found by machine-controller after this command', () => {
  const { findsInstanceBy: by } = openstack;
  expect('tag' in by && by.command(`openstack:///RegionOne/${uuid}`, 'uid-1')).toBe(
    `openstack server set --property machine-uid=uid-1 ${uuid}`,
  );
});
