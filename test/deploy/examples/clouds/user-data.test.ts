/** The user data of the pools to begin with can be read, and joins. */
import { parse } from 'yaml';
import { wantsBootstrapToken } from '../../../../activities/machine-class/user-data.ts';
import { files, poolIn, token, userDataOf } from './pools.ts';

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

describe.each(files.filter((file) => file.includes('kubeadm')))('user data of %s', (file) => {
  const { secret } = poolIn(file);
  const config = cloudConfigOf(userDataOf(secret));
  const joining = config.write_files.find(({ path }) => path === '/run/kubeadm/join.yaml');

  test('gets a bootstrap token, and joins with it by kubeadm', () => {
    expect(wantsBootstrapToken(secret.stringData['userData'] ?? '')).toBe(true);
    expect(parse(joining?.content ?? '')).toMatchObject({
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
    expect(config.runcmd.at(-1)).toBe(`kubeadm join --config ${joining?.path}`);
  });

  test('is for cloud-init a list of texts, of one version of Kubernetes', () => {
    expect(config.runcmd.filter((line) => typeof line !== 'string')).toEqual([]);
    const versions = config.runcmd.join('\n').match(/\bv1\.\d+/g);
    expect(new Set(versions).size).toBe(1);
  });

  test('gives the Node the name that the driver waits for', () => {
    const { nodeRegistration } = parse(joining?.content ?? '');
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
