/** Views of what machines depend on: their class, its Secrets, their Node. */
import type { KubeObject } from '../../kube/client/client.ts';
import { annotations, finalizers } from '../../workflows/api/constants.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { Taint } from '../../workflows/api/machine.ts';
import type { NodeCondition } from '../../workflows/api/meta.ts';
import { snapshotOfNode } from '../../workflows/contracts/snapshots.ts';
import { isStripped } from '../../workflows/plan/machine/node-template.ts';
import { configMapsOf } from '../../workflows/api/user-data.ts';
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
    configMaps: configMapsOf({ metadata }),
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

export function viewOfNode(node: Node): NodeView {
  const { metadata, spec, status } = node;
  const conditions = status?.conditions ?? [];
  return {
    ...snapshotOfNode(node),
    conditionsDigest: digestOf(conditions.map(comparedFieldsOf)),
    machineNamespace: metadata.annotations?.[annotations.nodeMachineNamespace] ?? '',
    ...(isStripped({ ...metadata, taints: spec?.taints ?? [] }) && { isStripped: true }),
  };
}

/** Without heartbeats; of the reasons only the one that an agent on the Node reports by. */
const comparedFieldsOf = ({ type, status, reason }: NodeCondition): unknown[] =>
  type === 'InPlaceUpdate' ? [type, status, reason] : [type, status];
