/** `cloudProvider: vsphere` (machine-controller at f1068332) -> `provider: vsphere`. */
import { count, flag, off } from './read-values.ts';
import { FieldFault, type Fields, type ProviderTable, type Row } from './table.ts';

const noRule =
  'the driver makes no rules of a cluster (DRS). Spread machines by a pool for each cluster or resourcePool, and remove the field';

const rows: readonly Row[] = [
  {
    theirs: 'templateVMName',
    ours: 'templateVM',
    required: 'write the name or path of a virtual machine or template',
  },
  {
    theirs: 'vmNetName',
    ours: 'network',
    to: (_value, spec) => networkOf(spec),
    back: () => undefined,
  },
  {
    theirs: 'networks',
    ours: 'network',
    to: (_value, spec) => networkOf(spec),
    back: (network) => [network],
  },
  {
    theirs: 'username',
    env: 'VSPHERE_USERNAME',
    secret: 'vsphereUsername',
    required: 'write it, or set VSPHERE_USERNAME of the front',
  },
  {
    theirs: 'password',
    env: 'VSPHERE_PASSWORD',
    secret: 'vspherePassword',
    required: 'write it, or set VSPHERE_PASSWORD of the front',
  },
  {
    theirs: 'vsphereURL',
    env: 'VSPHERE_ADDRESS',
    secret: 'vsphereHost',
    required: 'write the URL of the vCenter, such as https://vcenter.example.com',
    to: hostOf,
    back: (host) => `https://${String(host)}`,
  },
  { theirs: 'datacenter', ours: 'datacenter' },
  {
    theirs: 'cluster',
    ours: 'computeCluster',
    // Beside a pool it is for rules alone, which are refused.
    to: (cluster, { resourcePool }) => (resourcePool ? undefined : cluster),
  },
  { theirs: 'folder', ours: 'folder' },
  { theirs: 'resourcePool', ours: 'resourcePool' },
  { theirs: 'datastoreCluster', ours: 'datastoreCluster', to: onlyWithout('datastore') },
  { theirs: 'datastore', ours: 'datastore', to: onlyWithout('datastoreCluster') },
  { theirs: 'cpus', ours: 'numCpus', to: count },
  { theirs: 'memoryMB', ours: 'memory', to: count },
  { theirs: 'diskSizeGB', ours: 'systemDisk.size', to: count },
  {
    theirs: 'tags',
    refused:
      'machines get custom attributes, and no tags of the vCenter. Remove them; what selects by them can go by the folder',
  },
  {
    theirs: 'allowInsecure',
    env: 'VSPHERE_ALLOW_INSECURE',
    secret: 'vsphereInsecureSSL',
    to: (value) => String(flag(value)),
  },
  { theirs: 'vmAntiAffinity', refused: noRule, harmless: off },
  { theirs: 'vmGroup', refused: noRule },
];

export const vsphere: ProviderTable = {
  cloudProvider: 'vsphere',
  provider: 'vsphere',
  rows,
  more(spec, { cluster, operatingSystem }) {
    const { networks, vmNetName, cluster: computeCluster, resourcePool } = spec;
    const missing = {
      'networks is missing: write the network of the first card of the template':
        vmNetName || networkNames(networks).length > 0,
      'resourcePool is missing: machine-controller takes that of the template. Write its path, such as CLUSTER/Resources':
        computeCluster || resourcePool,
      'datastore is missing: write one, or a datastoreCluster':
        spec['datastore'] || spec['datastoreCluster'],
    };
    const tags = { 'mcm.gardener.cloud/cluster': cluster, 'mcm.gardener.cloud/role': role };
    return {
      // The driver gives Ignition to guests of this kind.
      providerSpec: {
        ...(operatingSystem === 'flatcar' && { guestId: 'other4xLinux64Guest' }),
        tags,
      },
      faults: Object.entries(missing).flatMap(([sentence, isThere]) =>
        isThere ? [] : [`cloudProviderSpec.${sentence}`],
      ),
      ignored:
        computeCluster && !resourcePool
          ? [
              'cloudProviderSpec.cluster: machines run in its root resource pool, with machine-controller in that of the template: name the resourcePool where it is another',
            ]
          : [],
    };
  },
  findsInstanceBy: { name: true },
  providerID(theirs, { region = '' }) {
    const uuid = /^vsphere:\/\/(?:[^/]*\/)?([\da-f-]{36})$/i.exec(theirs)?.[1];
    if (uuid === undefined) return { fault: `"${theirs}" is not of the form vsphere://UUID` };
    return { value: `vsphere://${String(region)}/${uuid.toLowerCase()}` };
  },
  providerIDBack: (ours) => ours.replace(/^vsphere:\/\/[^/]*\//, 'vsphere://'),
};

/** By it the driver takes a machine without attributes that lies in the folder of its class. */
const role = 'machine-controller';

const networkNames = (list: unknown): unknown[] =>
  Array.isArray(list) ? list.filter((one) => one !== '') : [];

function networkOf({ networks, vmNetName }: Fields): unknown {
  const [only, ...others] = networkNames(networks);
  if (only !== undefined && vmNetName) throw new FieldFault('and vmNetName exclude each other');
  if (others.length === 0) return only ?? vmNetName;
  throw new FieldFault(
    'cannot be said: a machine has one network card. Write the network by which Nodes reach each other',
  );
}

function onlyWithout(other: string) {
  return (value: unknown, spec: Fields): unknown => {
    if (spec[other]) throw new FieldFault(`and ${other} exclude each other: remove one`);
    return value;
  };
}

function hostOf(text: unknown): string {
  const url = URL.parse(String(text));
  const isWhole = url?.protocol === 'https:' && url.pathname === '/' && url.username === '';
  if (isWhole) return url.host;
  throw new FieldFault('is not of the form https://HOST or https://HOST:PORT');
}
