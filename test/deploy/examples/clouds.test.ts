/**
 * The pools of deploy/examples/clouds to begin with: they are taken as they stand, but for what a
 * reader puts in, and their user data joins.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { createDrivers } from '../../../activities/drivers/index.ts';
import type { CreateRequest } from '../../../activities/drivers/driver.ts';
import { credentialsOf } from '../../../activities/drivers/aws/credentials.ts';
import { createAwsDriver } from '../../../activities/drivers/aws/driver.ts';
import { planCredentials } from '../../../activities/drivers/azure/credentials.ts';
import { vmOf } from '../../../activities/drivers/azure/resources.ts';
import { readSpec } from '../../../activities/drivers/azure/validate.ts';
import { customResource, namespaced } from '../../../activities/kube/client/paths.ts';
import { fillUserData, wantsBootstrapToken } from '../../../activities/machine-class/user-data.ts';
import { repository } from '../../../deploy/local/layout.ts';
import type { MachineClass } from '../../../workflows/api/machine-class.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import { machineDeploymentFaults } from '../../../workflows/api/validation.ts';
import { aRequest } from '../../activities/drivers/a-request.ts';
import { instantTiming } from '../../activities/drivers/aws/instant-timing.ts';
import { aSharedEc2 } from '../../activities/drivers/aws/ec2-world.ts';
import { createdBy, deletedBy } from '../../activities/drivers/following.ts';
import { aSecret, aSharedGcpWorld } from '../../activities/drivers/gcp/gcp-world.ts';
import { tagsIn } from '../../doubles/ec2/instances.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

interface Secret {
  metadata: { name: string };
  stringData: Record<string, string>;
}

interface Pool {
  secret: Secret;
  machineClass: MachineClass;
  deployment: MachineDeployment;
}

const folder = join(repository, 'deploy/examples/clouds');
/** The others have every field once. */
const isPool = (file: string): boolean => file.includes('-');
const files = readdirSync(folder).filter(isPool);

function poolIn(file: string): Pool {
  const text = readFileSync(join(folder, file), 'utf8');
  const [secret, machineClass, deployment] = parseAllDocuments(text).map((one) => one.toJS());
  return { secret, machineClass, deployment };
}

const token = 'abcdef.0123456789abcdef';

/** As a machine `m-1` is made with it. */
function userDataOf({ stringData: { userData = '' } }: Secret): string {
  return String(fillUserData(userData, { machineName: 'm-1', bootstrapToken: token }));
}

function requestOf({ secret, machineClass }: Pool): CreateRequest {
  const { stringData } = secret;
  const { providerSpec } = machineClass;
  return aRequest('m-1', { providerSpec, secret: stringData, userData: userDataOf(secret) });
}

interface CloudConfig {
  write_files: { path: string; content: string }[];
  runcmd: string[];
}

/** What cloud-init makes of it, where it is a template as well. */
function cloudConfigOf(userData: string): CloudConfig {
  const plain = userData
    .replace(/^## template: jinja\n/, '')
    .replaceAll(/\{\{ (.*?) \}\}/g, (_place, name: string) => seenByCloudInit[name] ?? '');
  expect(plain).toMatch(/^#cloud-config\n/);
  return parse(plain);
}

/** Of instance-data.json, on EC2. */
const seenByCloudInit: Readonly<Record<string, string>> = {
  'ds.meta_data.local_hostname': 'ip-10-0-0-7.eu-west-1.compute.internal',
  'v1.availability_zone': 'eu-west-1a',
  'v1.instance_id': 'i-1',
};

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
  const { secret, machineClass, deployment } = pool;

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
    expect(deployment.spec.template.spec.class.name).toBe(machineClass.metadata.name);
    expect(deployment.spec.template.metadata?.labels).toEqual(
      deployment.spec.selector?.matchLabels,
    );
  });
});

describe.each(files.filter((file) => file.includes('kubeadm')))('user data of %s', (file) => {
  const { secret } = poolIn(file);
  const config = cloudConfigOf(userDataOf(secret));
  const join = config.write_files.find(({ path }) => path === '/run/kubeadm/join.yaml');

  test('gets a bootstrap token, and joins with it by kubeadm', () => {
    expect(wantsBootstrapToken(secret.stringData['userData'] ?? '')).toBe(true);
    expect(parse(join?.content ?? '')).toMatchObject({
      apiVersion: 'kubeadm.k8s.io/v1beta4',
      kind: 'JoinConfiguration',
      discovery: {
        bootstrapToken: {
          apiServerEndpoint: 'API-SERVER:6443',
          token,
          caCertHashes: ['sha256:CA-HASH'],
        },
      },
    });
    expect(config.runcmd.at(-1)).toBe(`kubeadm join --config ${join?.path}`);
  });

  test('is for cloud-init a list of texts, of one version of Kubernetes', () => {
    expect(config.runcmd.filter((line) => typeof line !== 'string')).toEqual([]);
    const versions = config.runcmd.join('\n').match(/\bv1\.\d+/g);
    expect(new Set(versions).size).toBe(1);
  });

  test('gives the Node the name that the driver waits for', () => {
    const { nodeRegistration } = parse(join?.content ?? '');
    const isAws = file.startsWith('aws');
    const name = isAws ? seenByCloudInit['ds.meta_data.local_hostname'] : 'm-1';
    expect(nodeRegistration.name).toBe(name);
    if (!isAws) return;
    const value = 'aws:///eu-west-1a/i-1';
    expect(nodeRegistration.kubeletExtraArgs).toEqual([{ name: 'provider-id', value }]);
  });
});

test('the user data of aws-eks.yaml is a NodeConfig in a MIME part, without a token', () => {
  const { secret, machineClass } = poolIn('aws-eks.yaml');
  const { userData = '' } = secret.stringData;
  expect(wantsBootstrapToken(userData)).toBe(false);
  const [head = '', ...parts] = userData.split(/\n?--BOUNDARY(?:--)?\n/);
  expect(head).toBe('MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="BOUNDARY"\n');
  const [header = '', body = ''] = parts[0]?.split('\n\n') ?? [];
  expect(header).toBe('Content-Type: application/node.eks.aws');
  const { apiVersion, kind, spec } = parse(body);
  expect([apiVersion, kind]).toEqual(['node.eks.aws/v1alpha1', 'NodeConfig']);
  expect(Object.keys(spec.cluster)).toEqual([
    'name',
    'apiServerEndpoint',
    'certificateAuthority',
    'cidr',
  ]);
  const { tags } = Object(machineClass.providerSpec);
  expect(tags).toHaveProperty([`kubernetes.io/cluster/${spec.cluster.name}`], 'owned');
});

const ec2 = await aSharedEc2();
const google = await aSharedGcpWorld();

describe('at EC2', () => {
  const { double, settings, statesOf } = ec2;
  const ofWorker = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };

  test.each([
    { file: 'aws-kubeadm.yaml', env: {}, allowsAmbientCredentials: false },
    { file: 'aws-eks.yaml', env: ofWorker, allowsAmbientCredentials: true },
  ])('$file makes an instance with its user data', async ({ file, env, ...more }) => {
    const pool = poolIn(file);
    const all = { ...settings, ...more, env: { ...settings.env, ...env } };
    expect(credentialsOf(pool.secret.stringData, all)).toMatchObject({ kind: 'keys' });
    const driver = createAwsDriver(all, { timing: instantTiming(), callTimeoutSeconds: 600 });
    // The image that the double knows; other identities it takes as they are.
    const providerSpec = { ...Object(pool.machineClass.providerSpec), ami: 'ami-1' };
    const { machine, token: ownToken } = aRequest(file);
    const another = { machine, token: ownToken };
    const request = { ...requestOf(pool), ...another, providerSpec };
    const { providerID, isInitialized } = await createdBy(driver, request);
    expect([providerID, isInitialized]).toEqual([
      expect.stringMatching(/^aws:\/\/\/eu-west-1\/i-/),
      true,
    ]);
    const run = double.requests.find((form) => form.get('Action') === 'RunInstances') ?? new Map();
    expect(Buffer.from(run.get('UserData') ?? '', 'base64').toString()).toBe(request.userData);
    expect(tagsIn(run, 'instance')).toMatchObject({ 'kubernetes.io/cluster/my-cluster': 'owned' });
    await deletedBy(driver, { ...request, providerID });
    expect(statesOf(file)).toEqual(['terminated']);
  });
});

test('gcp-kubeadm.yaml makes an instance with its user data at Google', async () => {
  const request = { ...requestOf(poolIn('gcp-kubeadm.yaml')), secret: aSecret };
  await createdBy(google.driver, request);
  const [instance] = google.double.cloud.instances;
  const items = [{ key: 'user-data', value: request.userData }];
  expect(instance?.body).toMatchObject({ name: 'm-1', metadata: { items } });
});

test('azure-kubeadm.yaml has credentials, and its virtual machine gets the user data', () => {
  const request = requestOf(poolIn('azure-kubeadm.yaml'));
  const settings = { env: {}, allowsAmbientCredentials: false };
  expect(planCredentials(request.secret, settings)).toMatchObject({ kind: 'secret' });
  const blueprint = { spec: readSpec(request.providerSpec), request };
  const { osProfile } = vmOf(blueprint, { nicId: '/nic', diskIds: new Map() });
  const customData = Buffer.from(request.userData).toString('base64');
  expect(osProfile).toMatchObject({ computerName: 'm-1', customData });
});
