/** How a MachineClass asks for user data that Millwright makes: docs/decisions/0060. */
import type { MachineClass } from './machine-class.ts';
import { annotations } from './constants.ts';

export type UserDataSource =
  /** One that comes with Millwright. */
  | { from: 'profile'; name: string }
  /** Key `profile.yaml` of a ConfigMap in the namespace of the class. */
  | { from: 'configMap'; name: string }
  /** What operating-system-manager made: key `cloud-config` of a Secret. */
  | { from: 'secret'; name: string };

/** The only namespace beside the class's that is read: that of operating-system-manager. */
export const cloudInitSettings = 'cloud-init-settings';

/** Names of the ConfigMaps in its namespace that the user data are made of. */
export function configMapsOf(machineClass: Pick<MachineClass, 'metadata'>): string[] {
  const source = userDataSourceOf(machineClass);
  const config = machineClass.metadata.annotations?.[annotations.userDataConfig];
  const profile = source?.from === 'configMap' ? [source.name] : [];
  return config === undefined ? profile : [...profile, config];
}

/** Undefined: the class's Secret has the user data. Whether what is named exists is not known. */
export function userDataSourceOf({
  metadata,
}: Pick<MachineClass, 'metadata'>): UserDataSource | undefined {
  const value = metadata.annotations?.[annotations.userData];
  if (value === undefined) return undefined;
  const [kind, ...rest] = value.split('/');
  if (kind === 'ConfigMap') return { from: 'configMap', name: rest.join('/') };
  if (kind === 'Secret' && rest[0] === cloudInitSettings) {
    return { from: 'secret', name: rest.slice(1).join('/') };
  }
  return { from: 'profile', name: value };
}
