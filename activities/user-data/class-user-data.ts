/**
 * What a MachineClass asks for by its annotations, read: the profile, the config, and the Secrets
 * that the config names. All of it stands in the namespace of the class: who may write a class
 * could have anything sent to a machine of his otherwise.
 */
import { annotations } from '../../workflows/api/constants.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import {
  cloudInitSettings,
  userDataSourceOf,
  type UserDataSource,
} from '../../workflows/api/user-data.ts';
import { quoted } from '../../workflows/api/validation.ts';
import { nearestOf } from '../../workflows/values/nearest.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isRefusal } from '../../kube/client/errors.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { namespaced } from '../../kube/client/paths.ts';
import type { UserDataConfig } from '../../userdata/config.ts';
import { inputFrom, readConfig, readProfile, type Read } from '../../userdata/documents.ts';
import type { Profile } from '../../userdata/profile.ts';
import { builtInProfile, profileNames } from '../../userdata/profiles.ts';
import { poolFaults, type MachineValues, type UserDataInput } from '../../userdata/render.ts';
import { readNamedSecrets } from './named-secrets.ts';
import { isObjectName, objectNameRule } from './object-name.ts';
import { sizeFault } from './rendered.ts';

export interface ClassUserData {
  /** Absent where there are faults, and where operating-system-manager makes the user data. */
  input?: UserDataInput;
  /** Of the Secret that operating-system-manager made, in namespace `cloud-init-settings`. */
  cloudConfigSecret?: string;
  /** Never leaves the process. */
  secrets: MachineValues['secrets'];
  /** A sentence each, with field, value and what is allowed. */
  faults: string[];
}

interface ClassPlace {
  client: KubeClient;
  namespace: string;
}

/** The class has one of the annotations: the key `userData` of its Secret is not read. */
export function asksForUserData({ metadata }: Pick<MachineClass, 'metadata'>): boolean {
  const { [annotations.userData]: source, [annotations.userDataConfig]: config } =
    metadata.annotations ?? {};
  return source !== undefined || config !== undefined;
}

/** Only of a class that asks. What the API server refuses is a fault as well. */
export async function readClassUserData(
  place: ClassPlace,
  machineClass: MachineClass,
): Promise<ClassUserData> {
  try {
    return await readAll(place, machineClass);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return faulty([`user data could not be read: ${error.message}`]);
  }
}

async function readAll(place: ClassPlace, machineClass: MachineClass): Promise<ClassUserData> {
  const source = userDataSourceOf(machineClass);
  const configName = machineClass.metadata.annotations?.[annotations.userDataConfig];
  if (!source) return faulty([`${annotations.userData} is missing: ${sourceRule()}`]);
  if (source.from === 'secret') return cloudConfigOf(place, source, configName);
  const profile = await profileOf(place, source);
  const config = await configOf(place, configName);
  const read = inputFrom({ profile, config, provider: machineClass.provider ?? '' });
  if (read.faults) return faulty(read.faults);
  const { value: input } = read;
  const { secrets, faults: ofSecrets } = await readNamedSecrets(place, input.config);
  const faults = [...ofSecrets, ...poolFaults(input)];
  if (faults.length > 0) return faulty(faults);
  const size = sizeFault(input, secrets);
  return size === undefined ? { input, secrets, faults } : faulty([size]);
}

function faulty(faults: string[]): ClassUserData {
  // The parser of YAML shows the lines around a fault; a fault is one line.
  return { secrets: {}, faults: faults.map((fault) => fault.replaceAll(/\s*\n[^]*/g, '')) };
}

/**
 * The name says whose it is. Of namespaces whose names end alike that is no wall: their Secrets
 * stand in one namespace.
 */
function cloudConfigOf(
  { namespace }: ClassPlace,
  { name }: { name: string },
  configName: string | undefined,
): ClassUserData {
  const ending = `-${namespace}-bootstrap-config`;
  const faults =
    isObjectName(name) && name.endsWith(ending)
      ? []
      : [
          `${annotations.userData}: ${quoted(`Secret/${cloudInitSettings}/${name}`)} is not allowed: the name must be MACHINEDEPLOYMENT${ending}`,
        ];
  if (configName !== undefined) {
    faults.push(
      `${annotations.userDataConfig}: ${quoted(configName)} has no effect on what operating-system-manager made: remove it`,
    );
  }
  return { cloudConfigSecret: name, secrets: {}, faults };
}

type ProfileSource = Exclude<UserDataSource, { from: 'secret' }>;

export async function profileOf(
  place: ClassPlace,
  { from, name }: ProfileSource,
): Promise<Read<Profile>> {
  if (from === 'configMap') {
    const text = await textIn(place, {
      field: annotations.userData,
      value: `ConfigMap/${name}`,
      name,
      key: 'profile.yaml',
    });
    return text.faults ? text : readProfile(text.value, `ConfigMap ${name}, profile.yaml`);
  }
  const value = builtInProfile(name);
  if (value) return { value };
  const meant = nearestOf(name, profileNames());
  const allowed = meant === undefined ? sourceRule() : `did you mean "${meant}"?`;
  return { faults: [`${annotations.userData}: ${quoted(name)} is not known: ${allowed}`] };
}

function sourceRule(): string {
  return `it must be one of ${profileNames().join(', ')}, or ConfigMap/NAME, or Secret/${cloudInitSettings}/NAME`;
}

export async function configOf(
  place: ClassPlace,
  name: string | undefined,
): Promise<Read<UserDataConfig>> {
  if (name === undefined) {
    const allowed = 'it must name the ConfigMap with the key config.yaml';
    return { faults: [`${annotations.userDataConfig} is missing: ${allowed}`] };
  }
  const wanted = { field: annotations.userDataConfig, value: name, name, key: 'config.yaml' };
  const text = await textIn(place, wanted);
  return text.faults ? text : readConfig(text.value, `ConfigMap ${name}, config.yaml`);
}

interface ConfigMap {
  data?: Record<string, string>;
}

interface Wanted {
  /** The annotation, and what it says. */
  field: string;
  value: string;
  name: string;
  key: string;
}

async function textIn(
  { client, namespace }: ClassPlace,
  { field, value, name, key }: Wanted,
): Promise<Read<string>> {
  const said = `${field}: ${quoted(value)}`;
  if (!isObjectName(name)) return { faults: [`${said} names no ConfigMap: ${objectNameRule}`] };
  const path = namespaced('configmaps', namespace, name);
  const found = await ignoreNotFound(client.get<ConfigMap>(path));
  if (!found) {
    return { faults: [`${said}: ConfigMap "${name}" does not exist in namespace ${namespace}`] };
  }
  const text = found.data?.[key];
  if (text !== undefined) return { value: text };
  return { faults: [`${said}: ConfigMap "${name}" has no key "${key}": add it`] };
}
