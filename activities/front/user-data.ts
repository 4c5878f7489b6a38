/** What the machines of a template of theirs start with. */
import type {
  KubermaticMachineSpec,
  KubermaticProviderConfig,
} from '../../workflows/api/kubermatic.ts';

/** Annotations of the MachineClass, and the ConfigMap that one of them names. */
export interface TemplateUserData {
  /** Value of the annotation `millwright.dev/user-data`. */
  source: string;
  /** Content of the key `config.yaml`; absent where operating-system-manager makes the user data. */
  config?: string;
  faults: string[];
  ignored: string[];
}

export interface UserDataPlace {
  /** Of their MachineDeployment. */
  namespace: string;
  name: string;
  /** operating-system-manager makes the user data of this MachineDeployment. */
  isMadeByOsm: boolean;
  /** The `config.yaml` of the cluster, which all pools share; undefined: there is none. */
  clusterConfig: string | undefined;
}

export function userDataOf(
  _spec: Pick<KubermaticMachineSpec, 'versions' | 'taints' | 'metadata'>,
  _value: KubermaticProviderConfig,
  _place: UserDataPlace,
): TemplateUserData {
  throw new Error('not written yet');
}
