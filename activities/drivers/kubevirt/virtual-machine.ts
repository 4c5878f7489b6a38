/** The objects of a machine, as Gardener's driver makes them. */
import type { CreateRequest } from '../driver.ts';
import type { Body } from '../frame/cloud.ts';
import { tagsFor } from '../frame/tags.ts';
import { createHash } from 'node:crypto';
import { base64UserData } from '../user-data-bytes.ts';
import { machineLabel, spelling } from './labels.ts';
import type { DataVolume, KubevirtProviderSpec, Quantity } from './provider-spec.ts';
import { rootDisk, specOf } from './validate.ts';

/** Names the Secret of a VirtualMachine that does not own it yet. */
export const unownedSecret = 'millwright.dev/user-data-without-owner';

function labelsOf(request: CreateRequest): Record<string, string> {
  const tags = { ...specOf(request.providerSpec).tags, [machineLabel]: request.machine.name };
  return tagsFor(tags, request, spelling);
}

/**
 * None without user data. Its name has a digest of the content, so that a change of either is not
 * lost where an earlier try has made one.
 */
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

/** `secret`: the name of that with the user data. */
export function virtualMachineOf(request: CreateRequest, secret: string | undefined): object {
  const spec = specOf(request.providerSpec);
  const { name } = request.machine;
  const labels = labelsOf(request);
  const { disks, volumes, dataVolumes } = disksOf(spec, name, secret);
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, labels, ...(secret && { annotations: { [unownedSecret]: secret } }) },
    spec: {
      runStrategy: 'Always',
      template: {
        metadata: { labels: { [machineLabel]: name } },
        spec: {
          domain: domainOf(spec, disks),
          affinity: affinityOf(spec),
          terminationGracePeriodSeconds: 30,
          volumes,
          ...(spec.networks?.length && {
            networks: networksOf(spec).map(({ network }) => network),
          }),
          ...(spec.dnsPolicy && { dnsPolicy: spec.dnsPolicy }),
          ...(spec.dnsConfig && { dnsConfig: spec.dnsConfig }),
        },
      },
      dataVolumeTemplates: dataVolumes.map(({ name: called, spec: content }) => ({
        metadata: { name: called, labels },
        spec: withTexts(content),
      })),
    },
  };
}

function domainOf(
  { resources, cpu, memory, devices = {}, ...spec }: KubevirtProviderSpec,
  disks: object[],
) {
  const { rng, blockMultiQueue, networkInterfaceMultiqueue } = devices;
  const interfaces = spec.networks?.length ? networksOf({ networks: spec.networks }) : [];
  const { requests, limits } = resources;
  return {
    resources: {
      ...resources,
      requests: texts(requests),
      ...(limits && { limits: texts(limits) }),
    },
    ...(cpu && { cpu }),
    ...(memory && { memory }),
    devices: {
      disks,
      ...(interfaces.length > 0 && { interfaces: interfaces.map((one) => one.card) }),
      ...(rng && { rng }),
      ...(blockMultiQueue !== undefined && { blockMultiQueue }),
      ...(networkInterfaceMultiqueue !== undefined && { networkInterfaceMultiqueue }),
    },
  };
}

/** A quantity may be a number in a class, and is a text in KubeVirt's types. */
const texts = (quantities: Readonly<Record<string, Quantity>>): Record<string, string> =>
  Object.fromEntries(Object.entries(quantities).map(([name, value]) => [name, String(value)]));

function withTexts({ pvc, storage, ...rest }: DataVolume): object {
  const claimOf = (claim: NonNullable<DataVolume['pvc']>): object => {
    const { resources } = claim;
    return { ...claim, resources: { ...resources, requests: texts(resources.requests) } };
  };
  return {
    ...rest,
    ...(pvc && { pvc: claimOf(pvc) }),
    ...(storage && { storage: claimOf(storage) }),
  };
}

const networkData =
  'version: 2\nethernets:\n  id0:\n    match:\n      name: "e*"\n    dhcp4: true\n';

interface DataDisk {
  name: string;
  spec: DataVolume;
}

function disksOf(
  { devices, rootVolume, additionalVolumes = [], networks = [] }: KubevirtProviderSpec,
  name: string,
  secret: string | undefined,
) {
  const diskOf = (disk: string, volume = disk): object => ({
    disk: { bus: 'virtio' },
    ...devices?.disks?.find((one) => one.name === volume),
    name: disk,
  });
  const disks = [diskOf(rootDisk)];
  const volumes: object[] = [{ name: rootDisk, dataVolume: { name } }];
  const dataVolumes: DataDisk[] = [{ name, spec: rootVolume }];
  if (secret !== undefined) {
    disks.push({ name: 'cloudinitdisk', disk: { bus: 'virtio' } });
    const cloudInitNoCloud = {
      secretRef: { name: secret },
      ...(networks.length > 0 && { networkData }),
    };
    volumes.push({ name: 'cloudinitdisk', cloudInitNoCloud });
  }
  for (const [index, { name: called, dataVolume, volumeSource }] of additionalVolumes.entries()) {
    const disk = `disk${index}`;
    disks.push(diskOf(disk, called));
    volumes.push({
      name: disk,
      ...(dataVolume ? { dataVolume: { name: `${name}-${index}` } } : volumeSource),
    });
    if (dataVolume) dataVolumes.push({ name: `${name}-${index}`, spec: dataVolume });
  }
  return { disks, volumes, dataVolumes };
}

function networksOf({ networks = [] }: Pick<KubevirtProviderSpec, 'networks'>) {
  const named = networks.map(({ name, default: isDefault = false }, index) => ({
    card: { name: `net${index}`, bridge: {} },
    network: {
      name: `net${index}`,
      multus: { networkName: name, ...(isDefault && { default: true }) },
    },
  }));
  if (networks.some((network) => network.default)) return named;
  return [
    { card: { name: 'default', bridge: {} }, network: { name: 'default', pod: {} } },
    ...named,
  ];
}

/** `default` stands for nodes without the label. */
function affinityOf({ region, zone }: KubevirtProviderSpec): object {
  const matchExpressions = Object.entries({ region, zone }).map(([kind, value]) => {
    const key = `topology.kubernetes.io/${kind}`;
    if (value === 'default') return { key, operator: 'DoesNotExist' };
    return { key, operator: 'In', values: [value] };
  });
  const nodeSelectorTerms = [{ matchExpressions }];
  return {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
  };
}
