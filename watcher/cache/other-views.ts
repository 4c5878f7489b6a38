/** Views of what machines depend on: their class, its Secrets, their Node. */
import type { KubeObject } from '../../kube/client/client.ts';
import { annotations, finalizers, taints as taintKeys } from '../../workflows/api/constants.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { Taint } from '../../workflows/api/machine.ts';
import type { NodeCondition } from '../../workflows/api/meta.ts';
import { longestProviderID } from '../../workflows/api/validation.ts';
import { preserveNoteIn } from '../../workflows/api/preservation.ts';
import { isStripped } from '../../workflows/plan/machine/node-template.ts';
import { ownSecretsOf, protectedSecretsOf } from '../../workflows/api/secret-refs.ts';
import { digestOf } from './digest.ts';
import { lifeOf, trimmedMeta } from './metadata.ts';
import type { ClassView, NodeView, SecretView } from './views.ts';

/** Everything of a class but its bookkeeping. */
export function viewOfClass({ metadata, ...content }: MachineClass): ClassView {
  const { nodeTemplate, provider = '' } = content;
  const { virtualCapacity, instanceType = '' } = nodeTemplate ?? {};
  const {
    [annotations.invalid]: invalid = '',
    [annotations.ignoredKeys]: _ours,
    ...notes
  } = metadata.annotations ?? {};
  const named = ownSecretsOf(content, metadata.namespace ?? '');
  return {
    ...trimmedMeta(metadata),
    digest: digestOf(content, metadata.labels, notes),
    nodeTemplateDigest: nodeTemplate ? digestOf(nodeTemplate) : '',
    instanceType,
    provider,
    virtualCapacityDigest: virtualCapacity ? digestOf(virtualCapacity) : '',
    ...lifeOf(metadata),
    invalid,
    secrets: named.map(({ name }) => name),
    protectedSecrets: protectedSecretsOf(content),
  };
}

/** Only the metadata of Secrets are read. */
export function viewOfSecret({ metadata }: KubeObject): SecretView {
  return {
    ...trimmedMeta(metadata),
    isDeleting: metadata.deletionTimestamp !== undefined,
    hasFinalizer: metadata.finalizers?.includes(finalizers.secret) ?? false,
    finalizersDigest: digestOf(metadata.finalizers),
  };
}

export interface Node extends KubeObject {
  spec?: { providerID?: string; taints?: Taint[] };
  status?: { conditions?: NodeCondition[] };
}

export function viewOfNode({ metadata, spec, status }: Node): NodeView {
  const conditions = status?.conditions ?? [];
  const isReady = conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True');
  return {
    ...trimmedMeta(metadata),
    providerID: (spec?.providerID ?? '').slice(0, longestProviderID),
    isReady,
    isDeleting: metadata.deletionTimestamp !== undefined,
    conditionsDigest: digestOf(conditions.map(comparedFieldsOf)),
    isWaitingForCriticalComponents: isWaiting(spec?.taints),
    preserve: preserveNoteIn(metadata.annotations),
    machineNamespace: metadata.annotations?.[annotations.nodeMachineNamespace] ?? '',
    isStripped: isStripped({ ...metadata, taints: spec?.taints ?? [] }),
  };
}

const isWaiting = (taints: Taint[] = []): boolean =>
  taints.some(({ key }) => key === taintKeys.criticalComponentsNotReady);

/** Without heartbeats; of the reasons only the one that an agent on the Node reports by. */
const comparedFieldsOf = ({ type, status, reason }: NodeCondition): unknown[] =>
  type === 'InPlaceUpdate' ? [type, status, reason] : [type, status];
