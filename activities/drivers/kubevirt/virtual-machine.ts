/** The objects of a machine, as Gardener's driver makes them. */
import { createHash } from 'node:crypto';
import type { CreateRequest } from '../driver.ts';
import type { Body, TagSpelling } from '../frame/cloud.ts';
import { tagsFor, usualNames } from '../frame/tags.ts';
import { base64UserData } from '../user-data-bytes.ts';
import { machineLabel } from './client.ts';
import type { KubevirtProviderSpec, Network } from './provider-spec.ts';
import { rootDisk, specOf } from './validate.ts';

/** Names the Secret of a VirtualMachine that does not own it yet. */
export const unownedSecret = 'millwright.dev/user-data-without-owner';

export const spelling: TagSpelling = {
  word: 'label',
  names: usualNames,
  allowed: /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/,
};

function labelsOf(request: CreateRequest): Record<string, string> {
  const tags = { ...specOf(request.providerSpec).tags, [machineLabel]: request.machine.name };
  return tagsFor(tags, request, spelling);
}

/** None without user data. A change of these makes another, as its name has their digest. */
export function userDataOf(request: CreateRequest): Body<object>[] {
  const { sshKeys = [] } = specOf(request.providerSpec);
  const keys = sshKeys.map((key) => `- ${key.trim()}\n`).join('');
  const userData = keys ? `${request.userData}\nssh_authorized_keys:\n${keys}` : request.userData;
  const data = base64UserData({ ...request, userData });
  if (data === '') return [];
  const digest = createHash('sha256').update(data).digest('hex').slice(0, 16);
  const name = `userdata-${request.machine.name}-${digest}`;
  const metadata = { name, labels: labelsOf(request) };
  const content = { apiVersion: 'v1', kind: 'Secret', metadata, data: { userdata: data } };
  return [{ name, content }];
}

/** `secret`: the name of that with the user data. What is undefined is not sent. */
export function virtualMachineOf(request: CreateRequest, secret: string | undefined): object {
  const spec = specOf(request.providerSpec);
  const { resources, cpu, memory, dnsPolicy, dnsConfig } = spec;
  const { name } = request.machine;
  const labels = labelsOf(request);
  const { disks, volumes, dataVolumes } = disksOf(spec, name, secret);
  const { interfaces, networks } = networksOf(spec.networks);
  const domain = { resources, cpu, memory, devices: { ...spec.devices, disks, interfaces } };
  const affinity = affinityOf(spec);
  const more = { affinity, volumes, networks, dnsPolicy, dnsConfig };
  const template = {
    metadata: { labels: { ...podLabelsOf(spec), [machineLabel]: name } },
    spec: { domain, terminationGracePeriodSeconds: 30, ...more },
  };
  const dataVolumeTemplates = dataVolumes.map(({ name: called, content }) => ({
    metadata: { name: called, labels },
    spec: content,
  }));
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, labels, annotations: secret && { [unownedSecret]: secret } },
    spec: { runStrategy: 'Always', template, dataVolumeTemplates },
  };
}

/** By these a cloud controller manager of KubeVirt finds the pods that traffic goes to. */
const podLabelsOf = ({ tags = {} }: KubevirtProviderSpec): Record<string, string> =>
  Object.fromEntries(Object.entries(tags).filter(([key]) => key.startsWith('cluster.x-k8s.io/')));

const allCards = 'version: 2\nethernets:\n  id0:\n    match:\n      name: "e*"\n    dhcp4: true\n';

function disksOf(spec: KubevirtProviderSpec, name: string, secret: string | undefined) {
  const virtio = { disk: { bus: 'virtio' } };
  const diskOf = (disk: string, volume: string): object => {
    const given = spec.devices?.disks?.find((one) => one.name === volume) ?? virtio;
    return { ...given, name: disk };
  };
  const disks = [diskOf(rootDisk, rootDisk)];
  const volumes: object[] = [{ name: rootDisk, dataVolume: { name } }];
  const dataVolumes: Body<object>[] = [{ name, content: spec.rootVolume }];
  if (secret !== undefined) {
    const networkData = spec.networks?.length ? allCards : undefined;
    disks.push({ ...virtio, name: 'cloudinitdisk' });
    const cloudInitNoCloud = { secretRef: { name: secret }, networkData };
    volumes.push({ name: 'cloudinitdisk', cloudInitNoCloud });
  }
  for (const [index, volume] of (spec.additionalVolumes ?? []).entries()) {
    const own = { name: `${name}-${index}` };
    const { dataVolume: content, volumeSource } = volume;
    disks.push(diskOf(`disk${index}`, volume.name));
    volumes.push({ name: `disk${index}`, ...(content ? { dataVolume: own } : volumeSource) });
    if (content) dataVolumes.push({ ...own, content });
  }
  return { disks, volumes, dataVolumes };
}

/** The pod network comes first, unless another is in its place. */
function networksOf(given: readonly Network[] = []): {
  interfaces?: object[];
  networks?: object[];
} {
  if (given.length === 0) return {};
  const named = given.map(({ name: networkName, default: isDefault }, index) => ({
    name: `net${index}`,
    multus: { networkName, default: isDefault || undefined },
  }));
  const hasDefault = given.some((network) => network.default);
  const networks = hasDefault ? named : [{ name: 'default', pod: {} }, ...named];
  return { networks, interfaces: networks.map(({ name }) => ({ name, bridge: {} })) };
}

/** `default` stands for nodes without the label, `*` for all. */
function affinityOf({ region, zone }: KubevirtProviderSpec): object | undefined {
  const wanted = Object.entries({ region, zone }).filter(([, value]) => value !== '*');
  if (wanted.length === 0) return undefined;
  const matchExpressions = wanted.map(([kind, value]) => ({
    key: `topology.kubernetes.io/${kind}`,
    ...(value === 'default' ? { operator: 'DoesNotExist' } : { operator: 'In', values: [value] }),
  }));
  const terms = { nodeSelectorTerms: [{ matchExpressions }] };
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } };
}
