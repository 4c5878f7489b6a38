/** The user data of the pools to begin with can be read, and join. */
import { parse } from 'yaml';
import { wantsBootstrapToken } from '../../../../activities/machine-class/user-data.ts';
import { poolFaults } from '../../../../userdata/render.ts';
import { fitted } from '../../../../userdata/sizes.ts';
import { files, inputOf, poolIn, token, userDataOf } from './pools.ts';

interface CloudConfig {
  write_files: { path: string; content: string }[];
}

/** Parts of the kubelet's unit: who names the Node. */
const ofMachine = '--hostname-override=m-1';
const ofCloud = '--hostname-override=${NODE_NAME}';

describe.each(files.filter((file) => file.includes('kubeadm')))('user data of %s', (file) => {
  const pool = poolIn(file);
  const { provider = '' } = pool.machineClass;
  const userData = userDataOf(pool);
  const { write_files: written }: CloudConfig = parse(userData);
  const contentOf = (path: string) => written.find((one) => one.path === path)?.content ?? '';

  test('are made of a config and a profile that fit each other and the cloud', () => {
    const input = inputOf(pool);
    expect(poolFaults(input)).toEqual([]);
    expect(fitted(userData, { provider, format: 'cloud-init' })).not.toHaveProperty('fault');
  });

  test('join with the token of the machine, at the API server of the example', () => {
    expect(parse(contentOf('/etc/kubernetes/bootstrap-kubelet.conf'))).toMatchObject({
      clusters: [{ cluster: { server: 'https://API-SERVER:6443' } }],
      users: [{ user: { token } }],
    });
  });

  test('give the Node the name that the driver waits for, and no cloud provider', () => {
    const unit = contentOf('/etc/systemd/system/kubelet.service');
    expect(unit).toContain(provider === 'AWS' ? ofCloud : ofMachine);
    expect(unit).not.toContain('--cloud-provider');
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
