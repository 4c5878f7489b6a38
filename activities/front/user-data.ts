/** User data of the machines of a template of theirs. */
import { annotations as ours } from '../../workflows/api/constants.ts';
import type {
  KubermaticMachineSpec,
  KubermaticProviderConfig,
} from '../../workflows/api/kubermatic.ts';
import { cloudInitSettings } from '../../workflows/api/user-data.ts';
import { quoted } from '../../workflows/api/validation.ts';
import { isRecord } from '../../workflows/values/is-record.ts';
import { readConfig } from '../../userdata/documents.ts';
import { readYaml } from '../../userdata/lines.ts';
import type { Profile } from '../../userdata/profile.ts';
import { yamlText } from '../../userdata/quoting.ts';
import { poolFaults } from '../../userdata/render.ts';
import { kubeletOf } from './kubelet-annotations.ts';
import { networkOf } from './network.ts';
import { systemOf } from './operating-systems.ts';
import { sshKeyFaults } from './ssh-keys.ts';
import { over, type UserDataPart } from './user-data-part.ts';

/** Annotations of the MachineClass, and the ConfigMap that one of them names. */
export interface TemplateUserData {
  /** Value of the annotation `millwright.dev/user-data`. */
  source: string;
  /** Content of the key `config.yaml`; absent with faults, and where another makes user data. */
  config?: string;
  faults: string[];
  ignored: string[];
}

export interface UserDataPlace {
  /** Of their MachineDeployment. */
  namespace: string;
  name: string;
  /**
   * Of their MachineDeployment, and over them those of its template: settings of the kubelet, which
   * operating-system-manager reads from the deployment, and `millwright.dev/user-data`, by which a
   * template has another profile than the usual one of its system.
   */
  annotations: Readonly<Record<string, string>>;
  /** `provider` of our MachineClass. */
  provider: string;
  /** operating-system-manager makes the user data of this MachineDeployment. */
  isMadeByOsm: boolean;
  /** The `config.yaml` of the cluster, which all pools share; undefined: there is none. */
  clusterConfig: string | undefined;
}

type Spec = Pick<KubermaticMachineSpec, 'versions' | 'taints'>;

/** Its credentials are read already. No sentence has a credential, or text of a key. */
export function userDataOf(
  spec: Spec,
  value: KubermaticProviderConfig,
  place: UserDataPlace,
): TemplateUserData {
  const every = [keyPart(value), versionPart(spec), nodePart(spec)];
  if (place.isMadeByOsm) {
    const source = `Secret/${cloudInitSettings}/${place.name}-${place.namespace}-bootstrap-config`;
    return { source, ...sentencesOf(every) };
  }
  const shared = sharedConfig(place);
  const system = systemOf(value, { named: place.annotations[ours.userData], shared });
  const parts = [
    system,
    networkOf(value),
    kubeletOf(place.annotations),
    ...every,
    withoutEffect(value),
  ];
  const sentences = sentencesOf([shared, ...parts]);
  const made = { source: system.source, ...sentences };
  if (made.faults.length > 0) return made;
  const base = fitting(shared.config, system.profile);
  const config = yamlText(parts.reduce((all, part) => over(all, part.config), base));
  return { ...made, config, faults: faultsOf(config, system.profile, place) };
}

function sentencesOf(parts: readonly UserDataPart[]): Pick<UserDataPart, 'faults' | 'ignored'> {
  return {
    faults: parts.flatMap(({ faults }) => faults),
    ignored: parts.flatMap(({ ignored }) => ignored),
  };
}

function keyPart({ sshPublicKeys }: KubermaticProviderConfig): UserDataPart {
  const keys: unknown = sshPublicKeys ?? [];
  if (!Array.isArray(keys)) {
    const fault = 'sshPublicKeys must be a list of keys';
    return { config: {}, faults: [fault], ignored: [] };
  }
  const authorizedKeys = keys.map((key: unknown) => String(key).trim());
  const config = keys.length > 0 ? { ssh: { authorizedKeys } } : {};
  return { config, faults: sshKeyFaults(keys), ignored: [] };
}

function versionPart({ versions }: Spec): UserDataPart {
  const text: unknown = versions?.kubelet ?? '';
  const [, major, minor = '0', patch = '0'] =
    /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?$/.exec(typeof text === 'string' ? text : '') ?? [];
  const isControlPlane = (versions?.controlPlane ?? '') !== '';
  const ignored = isControlPlane
    ? ['versions.controlPlane: machines of a deployment are no control plane']
    : [];
  if (major !== undefined) {
    const version = `${major}.${minor}.${patch}`;
    return { config: { kubernetes: { version } }, faults: [], ignored };
  }
  const fault =
    text === ''
      ? 'versions.kubelet is missing: such as 1.34.2'
      : `versions.kubelet ${quoted(text)} is not the version of a release, such as 1.34.2`;
  return { config: {}, faults: [fault], ignored };
}

function nodePart({ taints }: Spec): UserDataPart {
  const given: unknown = taints ?? [];
  if (!Array.isArray(given) || !given.every(isRecord)) {
    return { config: {}, faults: ['taints must be a list of taints'], ignored: [] };
  }
  // The kubelet sets no `timeAdded`.
  const kept = given.map(({ key, value, effect }) => ({ key, value: value ?? '', effect }));
  const config = kept.length > 0 ? { node: { taints: kept } } : {};
  return { config, faults: [], ignored: [] };
}

function withoutEffect({ caPublicKey, overwriteCloudConfig }: KubermaticProviderConfig) {
  const ignored: string[] = [];
  if ((caPublicKey ?? '') !== '') {
    const instead = 'write it, and TrustedUserCAKeys for sshd, by files of config.yaml';
    ignored.push(`caPublicKey: operating-system-manager does not use it either; ${instead}`);
  }
  if ((overwriteCloudConfig ?? '') !== '') {
    const why = 'kubelets read no cloud config any more; the cloud controller manager has its own';
    ignored.push(`overwriteCloudConfig: ${why}`);
  }
  return { config: {}, faults: [], ignored };
}

const sharedName = 'config.yaml of --user-data-config';

function sharedConfig({ namespace, clusterConfig }: UserDataPlace): UserDataPart {
  const none = { config: {}, ignored: [] };
  if (clusterConfig === undefined) {
    const fields = 'kubernetes: apiServer, caBundle and clusterDNS';
    const make = `make a ConfigMap in namespace ${namespace} with the key config.yaml (${fields})`;
    const fault = `what machines join is not known: ${make}, and name it by the flag --user-data-config`;
    return { ...none, faults: [fault] };
  }
  const { document, faults, warnings } = readYaml(clusterConfig);
  const lines = [...faults, ...warnings];
  if (lines.length > 0) {
    return {
      ...none,
      faults: lines.map(({ line, sentence }) => `${sharedName}:${line}: ${sentence}`),
    };
  }
  const config: unknown = document.toJS() ?? {};
  if (isRecord(config)) return { ...none, config, faults: [] };
  return { ...none, faults: [`${sharedName} must have fields, such as kubernetes`] };
}

/** Without what the profile of this pool refuses: the config is for all systems of the cluster. */
function fitting(config: UserDataPart['config'], profile: Profile | undefined) {
  const fit: Record<string, unknown> = structuredClone(config);
  const drop = (group: string, field: string): void => {
    const fields = fit[group];
    if (isRecord(fields)) delete fields[field];
  };
  if (profile && profile.operatingSystem.name !== 'rhel') drop('operatingSystem', 'subscription');
  if (profile?.packageManager === 'none') {
    drop('operatingSystem', 'distUpgradeOnBoot');
    drop('packages', 'extra');
  }
  if (profile?.containerd === 'system') drop('containerRuntime', 'version');
  return fit;
}

/** Without lines: the text is made here. `profile`: undefined where it is in a ConfigMap. */
function faultsOf(text: string, profile: Profile | undefined, { provider }: UserDataPlace) {
  const read = readConfig(text, 'config.yaml');
  const faults =
    read.faults ?? (profile ? poolFaults({ profile, config: read.value, provider }) : []);
  return faults.map((fault) => `user data: ${fault.replace(/^config\.yaml:\d+: /, '')}`);
}
