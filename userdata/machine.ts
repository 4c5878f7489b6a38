/** What a machine of a pool gets: all files and units, in whichever format they travel. */
import { containerdFiles, containerdUnit } from './containerd.ts';
import { joinFiles } from './join.ts';
import { kernelFiles } from './kernel.ts';
import { kubeletFile, kubeletUnit, nodeNameRule } from './kubelet.ts';
import type { MachineDocument, MachineFile, MachineUnit } from './machine-document.ts';
import { proxyDropIns } from './proxy.ts';
import { registryFiles } from './registries.ts';
import type { MachineValues, UserDataInput } from './input.ts';
import { secretText } from './secrets.ts';
import { setupFiles, setupUnit } from './setup.ts';

/** Longest host name of Linux. A Node may have a longer name. */
const longestHostName = 63;

export function machineDocument(input: UserDataInput, values: MachineValues): MachineDocument {
  const { config } = input;
  const { machineName } = values;
  const isNamed = nodeNameRule(input) === 'machine' && machineName.length <= longestHostName;
  return {
    ...(isNamed && { hostname: machineName }),
    files: [...ownFiles(input, values), ...givenFiles(input, values)],
    units: unitsOf(input, values),
    ...(config.ssh && { ssh: config.ssh }),
    ...(config.ntpServers && config.ntpServers.length > 0 && { ntpServers: config.ntpServers }),
  };
}

/** That Millwright writes. */
export function ownFiles(input: UserDataInput, values: MachineValues): MachineFile[] {
  return [
    ...joinFiles(input, values),
    kubeletFile(input),
    ...containerdFiles(input),
    ...registryFiles(input, values),
    ...kernelFiles(input),
    ...setupFiles(input, values),
  ];
}

/** Units of Millwright: a profile or a config may overlay them, not replace them. */
export function ownUnits(input: UserDataInput, values: MachineValues): MachineUnit[] {
  const proxy = proxyDropIns(input.config);
  const units = [containerdUnit(input), kubeletUnit(input, values), setupUnit];
  return units.map(({ dropIns = [], ...unit }) => ({ ...unit, dropIns: [...dropIns, ...proxy] }));
}

function givenFiles({ profile, config }: UserDataInput, values: MachineValues): MachineFile[] {
  const ofConfig = (config.files ?? []).map(({ path, permissions, content = '', secret }) => ({
    path,
    permissions: permissions ?? (secret ? '0600' : '0644'),
    content: secret ? secretText(values, secret.name, secret.key) : content,
  }));
  const ofProfile = (profile.files ?? []).map((file) => ({ permissions: '0644', ...file }));
  return [...ofProfile, ...ofConfig];
}

function unitsOf(input: UserDataInput, values: MachineValues): MachineUnit[] {
  const units = new Map(ownUnits(input, values).map((unit) => [unit.name, unit]));
  for (const given of [...(input.profile.units ?? []), ...(input.config.units ?? [])]) {
    const { name, content, enabled = true, masked, dropIns = [] } = given;
    const own = units.get(name);
    const unit = own ?? {
      name,
      isEnabled: enabled && !masked,
      ...(masked && { isMasked: masked }),
      ...(content !== undefined && { content }),
    };
    units.set(name, { ...unit, dropIns: [...(own?.dropIns ?? []), ...dropIns] });
  }
  return [...units.values()];
}
