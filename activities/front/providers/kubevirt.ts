/** `cloudProvider: kubevirt` (machine-controller at f1068332) -> `provider: kubevirt`. */
import { parse, stringify } from 'yaml';
import { isRecord } from '../../../workflows/values/is-record.ts';
import { flag } from './read-values.ts';
import { FieldFault, type Fields, type PoolContext } from './table.ts';
import type { ProviderTable, Row, SaidRow } from './table.ts';

const disk = 'virtualMachine.template.primaryDisk';
const namespaceKey = 'cluster.x-k8s.io/cluster-namespace';

/** Labels of a machine and its pod, by which Kubermatic's cloud controller manager selects. */
const labels = {
  cluster: 'cluster.x-k8s.io/cluster-name',
  clusterID: 'kubermatic.k8c.io/cluster-id',
  project: 'kubermatic.k8c.io/project-id',
  region: 'topology.kubernetes.io/region',
  zone: 'topology.kubernetes.io/zone',
};

const unread = 'machine-controller reads it no more';
const ofSubnet = 'without a subnet it has no effect';

/** A field that makes one of ours with others, in `more`. */
function joint(theirs: string, ours: string, back?: (value: unknown) => unknown): SaidRow {
  return { theirs, ours, to: () => undefined, back: back ?? (() => undefined) };
}

const label = (theirs: string, name: string): SaidRow =>
  joint(theirs, 'tags', (tags) => Object(tags)[name]);

const ofClaim = (theirs: string, back: (claim: TheirDisk) => unknown): SaidRow =>
  joint(`${disk}.${theirs}`, 'rootVolume', (volume) => back(claimIn(volume)));

const ofSource = (theirs: string, back?: (source: unknown) => unknown): SaidRow =>
  joint(`${disk}.${theirs}`, 'rootVolume.source', back);

const rows: readonly Row[] = [
  { ...label('clusterName', labels.cluster), env: 'CLUSTER_ID' },
  { ...label('projectID', labels.project), env: 'PROJECT_ID' },
  {
    theirs: 'auth.kubeconfig',
    env: 'KUBEVIRT_KUBECONFIG',
    secret: 'kubeconfig',
    required: 'write it, or set KUBEVIRT_KUBECONFIG of the front',
    to: kubeconfigOf,
    back: (text) => Buffer.from(String(text)).toString('base64'),
  },
  { theirs: 'virtualMachine.flavor.name', ignored: unread },
  { theirs: 'virtualMachine.flavor.profile', ignored: unread },
  {
    theirs: 'virtualMachine.instancetype',
    refused:
      'the driver knows no instance types. Write template.cpus and template.memory with the values of the type',
  },
  {
    theirs: 'virtualMachine.preference',
    refused: 'the driver knows no preferences. Remove it: disks and network cards are of virtio',
  },
  joint('virtualMachine.template.vcpus.cores', 'cpu.cores', (cores) => cores),
  joint('virtualMachine.template.cpus', 'resources.limits.cpu', (cpu) => cpu),
  {
    ...joint('virtualMachine.template.memory', 'resources.limits.memory', (memory) => memory),
    required: 'write a quantity, such as 8Gi',
  },
  {
    ...ofClaim('size', ({ size }) => size),
    required: 'write a quantity, such as 20Gi',
  },
  {
    ...ofClaim('storageClassName', ({ storageClassName }) => storageClassName),
    required: 'write the name of a storage class of the host cluster',
  },
  ofClaim('storageAccessType', ({ storageAccessType }) => storageAccessType),
  ofClaim('storageTarget', ({ target }) => target),
  ofSource('dataVolumeSecretRef', (source) => Object(Object(source).http).secretRef),
  ofSource('extraHeaders', (source) => Object(Object(source).http).extraHeaders),
  {
    theirs: `${disk}.extraHeadersSecretRef`,
    refused:
      'machine-controller reads this Secret of the host cluster and shows its content in each DataVolume. Write dataVolumeSecretRef, or extraHeaders',
  },
  {
    ...ofSource('osImage', imageIn),
    required: 'write a URL, or the NAMESPACE/NAME of a PersistentVolumeClaim',
  },
  ofSource('source', (source) => Object.keys(Object(source))[0]),
  ofSource('pullMethod', (source) => Object(Object(source).registry).pullMethod),
  joint('virtualMachine.template.secondaryDisks', 'additionalVolumes', (volumes) =>
    [volumes].flat().map((volume) => {
      const { target: _, ...claim } = claimIn(Object(volume).dataVolume);
      return claim;
    }),
  ),
  { theirs: 'virtualMachine.dnsPolicy', ours: 'dnsPolicy' },
  { theirs: 'virtualMachine.dnsConfig', ours: 'dnsConfig' },
  label('virtualMachine.location.region', labels.region),
  label('virtualMachine.location.zone', labels.zone),
  { theirs: 'virtualMachine.providerNetwork.name', ignored: ofSubnet },
  { theirs: 'virtualMachine.providerNetwork.vpc.name', ignored: ofSubnet },
  {
    theirs: 'virtualMachine.providerNetwork.vpc.subnet.name',
    refused:
      'machines get no subnet of Kube-OVN. Make it the default of the namespace in which machines run',
  },
  {
    theirs: 'virtualMachine.enableNetworkMultiQueue',
    ours: 'devices.networkInterfaceMultiqueue',
    default: true,
    to: flag,
  },
  {
    theirs: 'virtualMachine.evictionStrategy',
    refused:
      'it is that of the host cluster: where a node of it is drained, a machine stops and starts on another. Let all machines migrate by the configuration of its KubeVirt, and remove the field',
    harmless: ['External'],
  },
  { theirs: 'affinity.podAffinityPreset', ignored: unread },
  { theirs: 'affinity.podAntiAffinityPreset', ignored: unread },
  {
    ...joint('affinity.nodeAffinityPreset.type', 'zone', (zone) => ofZone(zone, 'hard')),
    default: '',
    to: (type, spec) => zoneOf(String(type), spec),
  },
  joint('affinity.nodeAffinityPreset.key', 'zone', (zone) => ofZone(zone, labels.zone)),
  joint('affinity.nodeAffinityPreset.values', 'zone', (zone) => ofZone(zone, [zone])),
  {
    theirs: 'topologySpreadConstraints',
    ignored: 'the scheduler of the host cluster spreads machines as other pods, by its defaults',
  },
];

export const kubevirt: ProviderTable = {
  cloudProvider: 'kubevirt',
  provider: 'kubevirt',
  rows,
  more(spec, pool) {
    const { clusterName, projectID, virtualMachine, topologySpreadConstraints } = spec;
    const { location, template } = Object(virtualMachine);
    const { cpus, vcpus, memory, primaryDisk, secondaryDisks } = Object(template);
    const cores = Number(Object(vcpus).cores ?? 0);
    const cpu = cores > 0 ? `${cores * 100}m` : cpus;
    const source = sourceOf(Object(primaryDisk), pool);
    const { storageTarget, storageAccessType } = Object(primaryDisk);
    const isBound = [topologySpreadConstraints]
      .flat()
      .some((one) => Object(one)['whenUnsatisfiable'] === 'DoNotSchedule');
    const faults = {
      'virtualMachine.template.cpus is missing: write a quantity, such as 2': cpu,
      'virtualMachine.template.vcpus and cpus exclude each other: remove one': !cores || !cpus,
      [`${disk}.storageAccessType is missing: machine-controller asks the host cluster for it. Write ReadWriteMany where the storage class has it, or ReadWriteOnce`]:
        storageTarget !== 'pvc' || storageAccessType,
      [`${disk}.osImage has no namespace: write NAMESPACE/NAME`]:
        !source.pvc || source.pvc.namespace !== undefined,
      'topologySpreadConstraints with DoNotSchedule cannot be said: make a pool for each zone, with affinity.nodeAffinityPreset':
        !isBound,
    };
    const others: readonly TheirDisk[] = Array.isArray(secondaryDisks) ? secondaryDisks : [];
    return {
      providerSpec: {
        region: '*',
        resources: { requests: { cpu, memory }, limits: { ...(!cores && { cpu }), memory } },
        // KubeVirt reserves a tenth of what a machine sees, unless it is configured otherwise.
        ...(cores > 0 && { cpu: { cores } }),
        rootVolume: { ...volumeOf(Object(primaryDisk)), source },
        ...(others.length > 0 && {
          additionalVolumes: others.map((one, index) => ({
            name: `secondarydisk${index}`,
            // Theirs has the image as well.
            dataVolume: { ...volumeOf({ storageAccessType, ...one, target: 'pvc' }), source },
          })),
        }),
        tags: {
          ...withoutEmpty({
            [labels.cluster]: clusterName,
            [labels.clusterID]: clusterName,
            [labels.project]: projectID,
            [labels.region]: Object(location).region,
            [labels.zone]: Object(location).zone,
          }),
          'cluster.x-k8s.io/role': 'worker',
          // Machines of machine-controller have none of these, and are no orphans.
          'mcm.gardener.cloud/cluster': pool.cluster,
          'mcm.gardener.cloud/role': 'node',
        },
      },
      faults: [
        ...Object.entries(faults).flatMap(([sentence, isRight]) =>
          isRight ? [] : [`cloudProviderSpec.${sentence}`],
        ),
        ...(pool.operatingSystem === 'flatcar'
          ? ['operatingSystem "flatcar" cannot be said: machines get no Ignition. Write another']
          : []),
      ],
    };
  },
  findsInstanceBy: { name: true },
};

const withoutEmpty = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value));

interface TheirDisk {
  size?: unknown;
  storageClassName?: unknown;
  storageAccessType?: unknown;
  target?: unknown;
}

/** Without an access mode CDI finds one that the storage class has. */
function volumeOf({ storageTarget, ...claim }: TheirDisk & { storageTarget?: unknown }): object {
  const { size, storageClassName, storageAccessType: mode, target = storageTarget } = claim;
  const resources = { requests: { storage: size } };
  const content = { storageClassName, ...(mode ? { accessModes: [mode] } : {}), resources };
  return target === 'pvc' && mode ? { pvc: content } : { storage: content };
}

function claimIn(volume: unknown): TheirDisk {
  const { pvc, storage } = Object(volume);
  const { storageClassName, accessModes, resources } = Object(pvc ?? storage);
  const [storageAccessType] = Array.isArray(accessModes) ? accessModes : [];
  const size: unknown = Object(Object(resources).requests).storage;
  const target = pvc ? 'pvc' : 'storage';
  return { size, storageClassName, storageAccessType, target };
}

interface ImageSource {
  http?: { url: string; extraHeaders?: unknown; secretRef?: unknown };
  registry?: { url: string; pullMethod: unknown };
  pvc?: { name: string; namespace?: string };
}

function sourceOf(primary: Fields, { nodeAnnotations = {} }: PoolContext): ImageSource {
  const { osImage, source, pullMethod = 'node', extraHeaders, dataVolumeSecretRef } = primary;
  const image = typeof osImage === 'string' ? osImage : '';
  const known = ['http', 'registry', 'pvc'].find((one) => one === source);
  const isRegistry = /^(docker|oci):/.test(image);
  const kind = known ?? (isRegistry ? 'registry' : URL.canParse(image) ? 'http' : 'pvc');
  if (kind === 'registry') return { registry: { url: image, pullMethod } };
  const more = withoutEmpty({ extraHeaders, secretRef: dataVolumeSecretRef });
  if (kind === 'http') return { http: { url: image, ...more } };
  const [first = '', name] = image.split('/');
  const namespace = name === undefined ? nodeAnnotations[namespaceKey] : first;
  return { pvc: { name: name ?? first, ...(namespace && { namespace }) } };
}

function imageIn(source: unknown): unknown {
  const { http, registry, pvc } = Object(source);
  const { namespace, name } = Object(pvc);
  return pvc ? `${namespace}/${name}` : Object(http ?? registry).url;
}

/** `*`: any. */
function zoneOf(type: string, { affinity }: Fields): unknown {
  const { key, values } = Object(Object(affinity).nodeAffinityPreset);
  if (type === '') return '*';
  const [zone, ...others] = Array.isArray(values) ? values : [];
  const isOne = zone !== undefined && others.length === 0;
  if (type.toLowerCase() === 'hard' && key === labels.zone && isOne) return zone;
  throw new FieldFault(
    `cannot be said: only "hard" with the key ${labels.zone} and one value can be. Make a pool for each zone`,
  );
}

const ofZone = (zone: unknown, value: unknown): unknown => (zone === '*' ? undefined : value);

/**
 * machine-controller makes machines in the namespace that it runs in, and writes that to the
 * template; the driver in that of the kubeconfig.
 */
function kubeconfigOf(value: unknown, _spec: Fields, { nodeAnnotations = {} }: PoolContext) {
  const given = String(value);
  const isBase64 = /^[A-Za-z0-9+/=\s]+$/.test(given);
  const text = isBase64 ? Buffer.from(given, 'base64').toString() : given;
  const config = readYaml(text);
  const contexts: unknown = config['contexts'];
  const named = (Array.isArray(contexts) ? contexts : []).find(
    (one) => Object(one).name === config['current-context'],
  );
  const context: unknown = Object(named).context;
  if (!isRecord(context)) throw new FieldFault('is no kubeconfig with a current context');
  const namespace = nodeAnnotations[namespaceKey] ?? context['namespace'];
  if (!namespace) {
    throw new FieldFault(
      'names no namespace in its context. Write the one that machines run in: that of machine-controller',
    );
  }
  if (context['namespace'] === namespace) return text;
  context['namespace'] = namespace;
  return stringify(config);
}

/** As long as the driver takes it. */
const longest = 64 * 1024;

function readYaml(text: string): Record<string, unknown> {
  if (text.length > longest) throw new FieldFault('is longer than 64 KiB');
  try {
    // Each key would be compared with all before it.
    const read: unknown = parse(text, { logLevel: 'error', uniqueKeys: false });
    if (isRecord(read)) return read;
  } catch {
    // The cause would quote the text, which is secret.
  }
  throw new FieldFault('is no kubeconfig');
}
