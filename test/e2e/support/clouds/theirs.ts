/** The clouds of machine-controller that the front can translate, by `cloudProvider`. */
import { aSecret as aliSecret } from '../../../activities/drivers/alicloud/alicloud-world.ts';
import { secret as azureSecret } from '../../../activities/drivers/azure/a-machine.ts';
import { aSecret as gcpSecret, doubleRules } from '../../../activities/drivers/gcp/gcp-world.ts';
import { startAlicloudDouble } from '../../../doubles/alicloud/double.ts';
import { startAzureDouble } from '../../../doubles/azure/server.ts';
import { startDigitalOceanDouble, token as doToken } from '../../../doubles/digitalocean/double.ts';
import { startGcpDouble } from '../../../doubles/gcp/double.ts';
import { startHetznerDouble, token as hetznerToken } from '../../../doubles/hetzner/double.ts';
import { startOpenStackDouble } from '../../../doubles/openstack/double.ts';
import { startMoto } from '../../../support/moto.ts';
import { aMotoAccount, motoSecret } from '../../../support/moto-account.ts';
import { kubevirt } from './kubevirt.ts';
import type { PoolCloud } from './pool-on-cloud.ts';
import { vsphere } from './vsphere.ts';

export interface TheirCloud extends Pick<PoolCloud, 'env' | 'nodes' | 'living' | 'stop'> {
  /** In the Secret of the example. */
  credentials: Record<string, string>;
  /** Fields of the example whose value is another in this cloud. Default none. */
  fields?: Record<string, unknown>;
  /** Of its Machines. */
  providerID: RegExp;
}

/** Nodes have the providerID that the cloud's own controller gives them. */
export const startTheirCloud: Readonly<Record<string, () => Promise<TheirCloud>>> = {
  async alibaba() {
    const { alicloudAccessKeyID: id, alicloudAccessKeySecret: secret } = aliSecret;
    const double = await startAlicloudDouble({ accessKeys: { [id]: secret } });
    const { cloud } = double;
    double.alsoCalled(new URL(double.url).host);
    return {
      env: { MILLWRIGHT_ALICLOUD_ENDPOINT: double.url },
      credentials: { accessKeyID: id, accessKeySecret: secret },
      providerID: /^eu-central-1\.i-\w+$/,
      nodes: async () =>
        cloud.instances.map(({ id: ref, region }) => ({
          providerID: `${region}.${ref}`,
          name: `${ref.replace('-', 'z')}z`,
        })),
      living: async () => [...cloud.instances, ...cloud.disks].map(({ name }) => name),
      stop: async () => await double[Symbol.asyncDispose](),
    };
  },
  async aws() {
    const moto = await startMoto();
    const account = await aMotoAccount(moto.url);
    const { ami, subnetId, securityGroupId } = account;
    const { providerAccessKeyId: accessKeyId, providerSecretAccessKey: secretAccessKey } =
      motoSecret;
    return {
      env: { AWS_ENDPOINT_URL_EC2: moto.url },
      credentials: { accessKeyId, secretAccessKey },
      fields: { ami, subnetId, securityGroupIDs: [securityGroupId] },
      providerID: /^aws:\/\/\/eu-west-1\/i-\w+$/,
      nodes: async () =>
        (await account.nodes()).map(({ providerID, ...node }) => ({
          ...node,
          providerID: providerID.replace('eu-west-1', 'eu-west-1a'),
        })),
      living: async () =>
        (await account.instances())
          .filter(({ State }) => State?.Name !== 'terminated')
          .map(({ InstanceId }) => `instance ${InstanceId}`),
      async stop() {
        account.close();
        await moto.stop();
      },
    };
  },
  async azure() {
    const double = await startAzureDouble();
    const all = () => {
      double.resources.advance();
      return double.resources.all();
    };
    return {
      env: {
        MILLWRIGHT_AZURE_ENDPOINT: double.url,
        MILLWRIGHT_AZURE_AUTHORITY: double.url,
        MILLWRIGHT_AZURE_CA_FILE: double.caFile,
      },
      credentials: azureSecret,
      fields: {
        resourceGroup: 'rg-1',
        vnetName: 'vnet-1',
        imageReference: {
          publisher: 'sap',
          offer: 'gardenlinux',
          sku: 'greatest',
          version: '1.2.3',
        },
        imagePlan: { publisher: 'sap', product: 'gardenlinux', name: 'greatest' },
        subnetName: 'nodes',
      },
      providerID: /^azure:\/\/\/westeurope\/[\w-]+$/,
      nodes: async () =>
        all()
          .filter(({ type }) => type === 'Microsoft.Compute/virtualMachines')
          .map(({ id, name }) => ({ providerID: `azure://${id}`, name })),
      living: async () => all().map(({ type, name }) => `${type} ${name}`),
      stop: async () => await double.close(),
    };
  },
  async digitalocean() {
    const { url, team, close } = await startDigitalOceanDouble();
    const droplets = () => [...team.droplets.values()];
    return {
      env: { MILLWRIGHT_DIGITALOCEAN_ENDPOINT: url },
      credentials: { token: doToken },
      providerID: /^digitalocean:\/\/\d+$/,
      nodes: async () =>
        droplets().map(({ id, name }) => ({ providerID: `digitalocean://${id}`, name })),
      living: async () => droplets().map(({ name }) => name),
      stop: async () => await close(),
    };
  },
  async gce() {
    const { url, tokenUrl, cloud, close } = await startGcpDouble(doubleRules);
    return {
      env: { MILLWRIGHT_GCP_ENDPOINT: url, MILLWRIGHT_GCP_TOKEN_ENDPOINT: tokenUrl },
      credentials: { serviceAccount: gcpSecret.serviceAccountJSON },
      providerID: /^gce:\/\/my-project\/europe-west1-b\/[\w-]+$/,
      nodes: async () =>
        cloud.instances.map(({ project, zone, name }) => ({
          providerID: `gce://${project}/${zone}/${name}`,
          name,
        })),
      living: async () => [...cloud.instances, ...cloud.disks].map(({ name }) => name),
      stop: async () => await close(),
    };
  },
  async hetzner() {
    const { url, project, close } = await startHetznerDouble();
    const servers = () => [...project.servers.values()];
    return {
      env: { MILLWRIGHT_HCLOUD_ENDPOINT: url },
      credentials: { token: hetznerToken },
      fields: { networks: ['shoot'], firewalls: ['38'] },
      providerID: /^hcloud:\/\/\d+$/,
      nodes: async () => servers().map(({ id, name }) => ({ providerID: `hcloud://${id}`, name })),
      living: async () => servers().map(({ name }) => name),
      stop: async () => await close(),
    };
  },
  async kubevirt() {
    const { secret, ...cloud } = await kubevirt.start();
    const { kubeconfig = '' } = secret;
    return { ...cloud, credentials: { kubeconfig }, providerID: /^kubevirt:\/\/[\w-]+$/ };
  },
  async openstack() {
    const double = await startOpenStackDouble();
    const { servers, ports, volumes } = double.world;
    const fieldsIn = (held: typeof servers) => [...held.values()].map(({ fields }) => fields);
    return {
      env: { MILLWRIGHT_OPENSTACK_ENDPOINT: double.url },
      credentials: { applicationCredentialID: 'id', applicationCredentialSecret: 'secret' },
      fields: {
        identityEndpoint: 'http://keystone.example/identity/v3',
        image: 'linux',
        flavor: 'small',
        network: 'workers',
      },
      providerID: /^openstack:\/\/\/[\da-f-]{36}$/,
      nodes: async () =>
        fieldsIn(servers).map((server) => ({
          providerID: `openstack:///${String(server['id'])}`,
          name: String(server['name']),
        })),
      living: async () =>
        [servers, ports, volumes].flatMap(fieldsIn).map(({ name }) => String(name)),
      stop: async () => await double[Symbol.asyncDispose](),
    };
  },
  async vsphere() {
    const { secret, ...cloud } = await vsphere.start();
    const { vsphereUsername: username = '', vspherePassword: password = '' } = secret;
    return {
      ...cloud,
      credentials: { username, password },
      fields: {
        datacenter: 'DC0',
        cluster: 'DC0_C0',
        folder: '/DC0/vm',
        resourcePool: 'DC0_C0/Resources',
        datastore: 'LocalDS_0',
        networks: ['DC0_DVPG0'],
        templateVMName: 'DC0_C0_RP0_VM0',
      },
      providerID: /^vsphere:\/\/[\da-f-]{36}$/,
      nodes: async () =>
        (await cloud.nodes()).map(({ providerID, ...node }) => ({
          ...node,
          providerID: providerID.replace(/[^/]*\/(?=[^/]*$)/, ''),
        })),
    };
  },
};
