/** A MachineDeployment of `cluster.k8s.io` for each cloud whose double is quick. */
import type { KubeObject } from '../../../kube/client/client.ts';
import { aSecret as aliSecret } from '../../activities/drivers/alicloud/alicloud-world.ts';
import { startAlicloudDouble } from '../../doubles/alicloud/double.ts';
import { startDigitalOceanDouble, token as doToken } from '../../doubles/digitalocean/double.ts';
import { startHetznerDouble, token as hetznerToken } from '../../doubles/hetzner/double.ts';
import { eventually } from '../../support/eventually.ts';
import { createSecret } from '../support/classes.ts';
import { createTheirPool, theirMachinesOf, theirPath, useFrontScenario } from '../support/front.ts';

const hetzner = await startHetznerDouble();
const digitalOcean = await startDigitalOceanDouble();
const { alicloudAccessKeyID, alicloudAccessKeySecret } = aliSecret;
const alicloud = await startAlicloudDouble({
  accessKeys: { [alicloudAccessKeyID]: alicloudAccessKeySecret },
});
alicloud.alsoCalled(new URL(alicloud.url).host);

const scenario = useFrontScenario('front-clouds', {
  isDoubled: false,
  workerEnv: () => ({
    MILLWRIGHT_HCLOUD_ENDPOINT: hetzner.url,
    MILLWRIGHT_DIGITALOCEAN_ENDPOINT: digitalOcean.url,
    MILLWRIGHT_ALICLOUD_ENDPOINT: alicloud.url,
  }),
});
const { cluster, namespace } = scenario;
const ref = (key: string) => ({ secretKeyRef: { namespace, name: 'clouds', key } });

beforeAll(() =>
  createSecret(scenario, 'clouds', { hetzner: hetznerToken, digitalocean: doToken, ...aliSecret }),
);
afterAll(async () => {
  await hetzner.close();
  await digitalOcean.close();
  await alicloud[Symbol.asyncDispose]();
});

interface Case {
  cloudProvider: string;
  cloudProviderSpec: Record<string, unknown>;
  providerID: RegExp;
}

const cases: Case[] = [
  {
    cloudProvider: 'hetzner',
    cloudProviderSpec: { token: ref('hetzner'), serverType: 'cx32', location: 'hel1' },
    providerID: /^hcloud:\/\/\d+$/,
  },
  {
    cloudProvider: 'digitalocean',
    cloudProviderSpec: { token: ref('digitalocean'), region: 'fra1', size: 's-2vcpu-4gb' },
    providerID: /^digitalocean:\/\/\d+$/,
  },
  {
    cloudProvider: 'alibaba',
    cloudProviderSpec: {
      accessKeyID: ref('alicloudAccessKeyID'),
      accessKeySecret: ref('alicloudAccessKeySecret'),
      regionID: 'eu-central-1',
      instanceType: 'ecs.g7.large',
      vSwitchID: 'vsw-gw8abc',
      internetMaxBandwidthOut: '10',
      zoneID: 'eu-central-1a',
      diskType: 'cloud_essd',
      diskSize: '40',
      imageID: 'm-gw8iqj3z9vzpljm4v3ob',
      securityGroupID: 'sg-gw8abc',
    },
    providerID: /^eu-central-1\.i-\w+$/,
  },
];

const living = (): string[] => [
  ...[...hetzner.project.servers.values()].map(({ name }) => name),
  ...[...digitalOcean.team.droplets.values()].map(({ name }) => name),
  ...alicloud.cloud.instances.map(({ name }) => name),
];

// One test: the invariants after each test ask the virtual cloud, which knows nothing of these.
test('has a Machine of theirs with its instance, which goes with it', async () => {
  const pools: string[] = [];
  for (const { cloudProvider, cloudProviderSpec, providerID } of cases) {
    const cloud = { cloudProvider, cloudProviderSpec };
    const pool = await createTheirPool(scenario, cloudProvider, { replicas: 1, cloud });
    pools.push(pool);
    await eventually(`${cloudProvider} has a Machine with its instance`, async () => {
      const machines = await theirMachinesOf(scenario, pool);
      expect(machines.map(({ spec, status }) => [spec.providerID, status?.phase])).toEqual([
        [expect.stringMatching(providerID), expect.stringMatching(/./)],
      ]);
      expect(living()).toContain(machines[0]?.metadata.name);
    });
  }
  const path = theirPath(scenario, 'machinedeployments');
  for (const pool of pools) await cluster.kube.delete(`${path}/${pool}`);
  await eventually('nothing is left, here or in a cloud', async () => {
    const left = await cluster.list<KubeObject>(path);
    expect([left.map(({ metadata }) => metadata.name), living()]).toEqual([[], []]);
  });
  await cluster.kube.delete(`/api/v1/namespaces/${namespace}/secrets/clouds`);
});
