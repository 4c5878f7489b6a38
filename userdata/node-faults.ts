/** What Kubernetes or the kubelet would refuse of a Node. */
import { providerRule } from './providers.ts';
import type { UserDataInput } from './input.ts';

const name = /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
const prefix = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** Of these domains the kubelet sets only what is below, and does not start with others. */
const reserved = /(^|\.)(kubernetes|k8s)\.io$/;
const allowedPrefix = /^(.*\.)?(kubelet|node)\.kubernetes\.io$/;
const allowedKeys = [
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'kubernetes.io/arch',
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
];

export function nodeFaults({ config: { node = {} }, provider }: UserDataInput): string[] {
  const { labels = {}, taints = [] } = node;
  return [
    ...(providerRule(provider).nodeName === 'hostname' && node.name === 'machine'
      ? [`node.name: "machine" is not what the driver of ${provider} finds Nodes by: "hostname"`]
      : []),
    ...Object.entries(labels).flatMap(([key, value]) => labelFaults(key, value)),
    ...taints.flatMap(({ key, value = '' }, index) => [
      ...keyFaults(`node.taints[${index}].key`, key),
      ...valueFaults(`node.taints[${index}].value`, value),
    ]),
  ];
}

function labelFaults(key: string, value: string): string[] {
  const faults = [...keyFaults('node.labels', key), ...valueFaults(`node.labels.${key}`, value)];
  const [domain = ''] = key.split('/');
  const isRefused =
    key.includes('/') &&
    reserved.test(domain) &&
    !allowedPrefix.test(domain) &&
    !allowedKeys.includes(key);
  if (!isRefused) return faults;
  return [
    ...faults,
    `node.labels.${key} is not one that a kubelet may set of itself: put it into nodeTemplate or the labels of the MachineDeployment`,
  ];
}

function keyFaults(field: string, key: string): string[] {
  const parts = key.split('/');
  const isKey =
    parts.length <= 2 &&
    name.test(parts.at(-1) ?? '') &&
    (parts.length === 1 || prefix.test(parts[0] ?? ''));
  return isKey ? [] : [`${field}: ${JSON.stringify(key)} is not a key, such as "example.com/pool"`];
}

function valueFaults(field: string, value: string): string[] {
  if (value === '' || name.test(value)) return [];
  return [
    `${field}: ${JSON.stringify(value)} is not empty or up to 63 letters, digits, dashes, dots and underscores`,
  ];
}
