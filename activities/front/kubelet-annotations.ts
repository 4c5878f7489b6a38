/** Settings of the kubelet in annotations: `v1.kubelet-config.../MaxPods: "110"`. */
import { quoted } from '../../workflows/api/validation.ts';
import type { UserDataPart } from './user-data-part.ts';

const domain = 'machine-controller.kubermatic.io';
const prefixes = {
  gates: `v1.kubelet-featuregates.${domain}/`,
  flags: `v1.kubelet-flags.${domain}/`,
  config: `v1.kubelet-config.${domain}/`,
} as const;

/** All that they have (sdk/apis/cluster/common). Ours begin with a small letter. */
const settings = [
  'SystemReserved',
  'KubeReserved',
  'EvictionHard',
  'ContainerLogMaxSize',
  'ContainerLogMaxFiles',
  'MaxPods',
  'ImageGCHighThresholdPercent',
  'ImageGCLowThresholdPercent',
  'ImageMinimumGCAge',
  'ImageMaximumGCAge',
];

const instead = 'put it into kubelet of config.yaml';

export function kubeletOf(annotations: Readonly<Record<string, string>>): UserDataPart {
  const kubelet: Record<string, string> = {};
  const featureGates: Record<string, boolean> = {};
  const node: Record<string, string> = {};
  const part: UserDataPart = { config: {}, faults: [], ignored: [] };
  const truth = (name: string, value: string): boolean | undefined => {
    if (value === 'true' || value === 'false') return value === 'true';
    part.faults.push(`annotation ${name}: ${quoted(value)} must be "true" or "false"`);
    return undefined;
  };
  for (const [name, value] of Object.entries(annotations)) {
    const after = (prefix: string): string | undefined =>
      name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
    const gate = after(prefixes.gates);
    const flag = after(prefixes.flags);
    const setting = after(prefixes.config);
    if (gate !== undefined) {
      const isOn = truth(name, value);
      if (isOn !== undefined) featureGates[gate] = isOn;
    } else if (flag === 'ExternalCloudProvider') {
      const isExternal = truth(name, value);
      if (isExternal !== undefined) node.cloudProvider = isExternal ? 'external' : 'none';
    } else if (setting !== undefined && settings.includes(setting)) {
      kubelet[setting.charAt(0).toLowerCase() + setting.slice(1)] = value;
    } else if (setting !== undefined || flag !== undefined) {
      part.ignored.push(`annotation ${name}: they know no such setting either; ${instead}`);
    }
  }
  const gates = Object.keys(featureGates).length > 0 ? { featureGates } : {};
  return { ...part, config: { kubelet: { ...kubelet, ...gates }, node } };
}
