/**
 * Views of objects that the watcher keeps: enough to decide whether a workflow must be signalled,
 * and no more.
 */
import type { CachedObject } from '../../kube/cache/object-cache.ts';
import type { LabelSelector } from '../../workflows/api/machine-set.ts';
import type {
  ContentOf,
  MachineSnapshot,
  NodeSnapshot,
  SetSnapshot,
} from '../../workflows/contracts/snapshots.ts';
import type { MachineDeploymentFigures, MachineFigures, MachineSetFigures } from './figures.ts';

export interface MachineView extends CachedObject, ContentOf<MachineSnapshot> {
  specDigest: string;
  generation: number;
  /** Annotation `effective-creation-timeout`; empty when absent. */
  creationTimeout: string;
  /** Digest of what a MachineSet reads. */
  countDigest: string;
  phase: string;
  /** Milliseconds. */
  createdAt: number;
  /** Timeout in its own spec; absent: the flag counts. */
  creationTimeoutSeconds: number | undefined;
  labels: Record<string, string>;
  /** Name of the controlling MachineSet. */
  owner: string | undefined;
  /** No controller at all: any set may claim it. */
  isOrphan: boolean;
  /** Where its update in place is, as text to compare; absent where it never had one. */
  inPlace?: string;
  className: string;
  /** Label `node`. */
  nodeName: string | undefined;
  figures: MachineFigures;
}

/** A MachineSet or a MachineDeployment. */
export interface SetView extends CachedObject, ContentOf<SetSnapshot> {
  /** The garbage collector is letting its children go. */
  isOrphaning: boolean;
  /** Digest of what the owner counts by. */
  countDigest: string;
  labels: Record<string, string>;
  owner: string | undefined;
  isOrphan: boolean;
  selector: LabelSelector | undefined;
  /** `status.replicas`. */
  replicas: number;
  className: string;
  /** Its annotations say what the Nodes of its class are like. */
  asksFromZero: boolean;
}

export interface MachineSetView extends SetView {
  figures: MachineSetFigures;
}

export interface MachineDeploymentView extends SetView {
  figures: MachineDeploymentFigures;
}

export interface ClassView extends CachedObject {
  digest: string;
  /** Digest of what the Nodes of its machines are to promise; empty when that is nothing. */
  virtualCapacityDigest: string;
  /** Digest of its template for new Nodes; empty when it has none. */
  nodeTemplateDigest: string;
  /** Instance type of a new Node; empty where the class does not say. */
  instanceType: string;
  /** Empty where the class does not say. */
  provider: string;
  isDeleting: boolean;
  hasFinalizer: boolean;
  /** Annotation `millwright.dev/invalid`, which is ours to write; empty when nothing is wrong. */
  invalid: string;
  /** Names of the Secrets that it refers to in its own namespace. */
  secrets: string[];
  /** Names of the Secrets that are not to go before it. */
  protectedSecrets: string[];
  /** Names of the ConfigMaps that its user data are made of. */
  configMaps: string[];
}

export interface SecretView extends CachedObject {
  isDeleting: boolean;
  hasFinalizer: boolean;
  /** The finalizers are ours to write: a Secret that changed only here has no news. */
  finalizersDigest: string;
}

export interface DisruptionPolicyView extends CachedObject {
  specDigest: string;
  selector: LabelSelector | undefined;
  /** It holds for the replacement of Failed machines. */
  namesRepair: boolean;
  /** Turns and grants, and the names of the deployments that have them. */
  shares: readonly { key: string; deployment: string }[];
}

export interface NodeView extends Omit<ContentOf<NodeSnapshot>, 'exists' | 'isOfOthers'> {
  /** Where it says that its Machine is; empty when it does not. */
  machineNamespace: string;
}

export interface Views {
  machines: MachineView;
  machineSets: MachineSetView;
  machineDeployments: MachineDeploymentView;
  machineClasses: ClassView;
  secrets: SecretView;
  nodes: NodeView;
  disruptionPolicies: DisruptionPolicyView;
  /** Without content. Only while a class names some. */
  configMaps: CachedObject;
}

export type Resource = keyof Views;

export const resources: Resource[] = [
  'machines',
  'machineSets',
  'machineDeployments',
  'machineClasses',
  'secrets',
  'nodes',
  'disruptionPolicies',
  'configMaps',
];
