/** Builders: set what matters, default the rest. */
import type { InPlaceReason } from '../../workflows/api/in-place.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { MachinePhase } from '../../workflows/api/phases.ts';
import { finalizers } from '../../workflows/api/constants.ts';
import type { KubeObject, ObjectMeta } from '../../kube/client/client.ts';
import type { Node } from '../../watcher/cache/other-views.ts';

export interface Meta extends Partial<Omit<ObjectMeta, 'deletionTimestamp'>> {
  isDeleting?: boolean;
  hasFinalizer?: boolean;
  /** Name of the controlling object. */
  owner?: string;
}

function metaOf(meta: Meta, ownerKind: string): ObjectMeta {
  const { isDeleting, hasFinalizer, owner, ...rest } = meta;
  const name = meta.name ?? 'a';
  const controller = { apiVersion: 'v1', kind: ownerKind, uid: `uid-${owner}`, controller: true };
  return {
    name,
    uid: `uid-${name}`,
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...(isDeleting && { deletionTimestamp: '2026-01-01T01:00:00Z' }),
    ...(hasFinalizer && { finalizers: [finalizers.machine] }),
    ...(owner !== undefined && { ownerReferences: [{ ...controller, name: owner }] }),
    ...rest,
  };
}

const kindOf = <K extends string>(kind: K) => ({
  apiVersion: 'machine.sapcloud.io/v1alpha1',
  kind,
});

export interface MachineLooks extends Meta {
  phase?: MachinePhase;
  node?: string;
  className?: string;
  providerID?: string;
  failure?: string;
  /** `status.currentStatus.preserveExpiryTime`. */
  expiry?: string;
  /** Of the condition `InPlaceUpdate`. */
  reason?: InPlaceReason;
}

export function aMachine(looks: MachineLooks = {}): Machine {
  const { phase, node, className = 'small', providerID, failure, expiry, reason, ...meta } = looks;
  const labels = { ...meta.labels, ...(node !== undefined && { node }) };
  return {
    ...kindOf('Machine'),
    metadata: metaOf({ ...meta, labels }, 'MachineSet'),
    spec: {
      class: { kind: 'MachineClass', name: className },
      ...(providerID !== undefined && { providerID }),
    },
    status: {
      ...((phase !== undefined || expiry !== undefined) && {
        currentStatus: {
          ...(phase !== undefined && { phase }),
          ...(expiry !== undefined && { preserveExpiryTime: expiry }),
        },
      }),
      ...(reason !== undefined && {
        conditions: [{ type: 'InPlaceUpdate', status: 'True' as const, reason }],
      }),
      ...(failure !== undefined && {
        lastOperation: { state: 'Failed' as const, description: failure },
      }),
    },
  };
}

export interface SetLooks extends Meta {
  selector?: Record<string, string>;
  replicas?: number;
}

export function aMachineSet({ selector = {}, replicas = 0, ...meta }: SetLooks = {}): MachineSet {
  return {
    ...kindOf('MachineSet'),
    metadata: metaOf(meta, 'MachineDeployment'),
    spec: { selector: { matchLabels: selector }, template: {} },
    status: { replicas },
  };
}

export function aMachineDeployment({
  selector = {},
  className,
  ...meta
}: SetLooks & { className?: string } = {}): MachineDeployment {
  const spec = className && { class: { kind: 'MachineClass', name: className } };
  return {
    ...kindOf('MachineDeployment'),
    metadata: metaOf(meta, ''),
    spec: { selector: { matchLabels: selector }, template: { ...(spec && { spec }) } },
  };
}

export function aClass(
  meta: Meta & {
    secret?: string;
    secretNamespace?: string;
    size?: string;
    virtualCapacity?: Record<string, string>;
  } = {},
): MachineClass {
  const { secret, secretNamespace = 'default', size = 'small', virtualCapacity, ...rest } = meta;
  return {
    ...kindOf('MachineClass'),
    metadata: metaOf({ name: 'small', namespace: 'default', ...rest }, ''),
    provider: 'virtual',
    providerSpec: { size },
    ...(virtualCapacity && {
      nodeTemplate: { capacity: {}, instanceType: 's', region: 'r', zone: 'z', virtualCapacity },
    }),
    ...(secret !== undefined && { secretRef: { name: secret, namespace: secretNamespace } }),
  };
}

export function aSecret(looks: Meta & { hasSecretFinalizer?: boolean } = {}): KubeObject {
  const { hasSecretFinalizer = false, ...meta } = looks;
  const metadata = metaOf(meta, '');
  return {
    metadata: { ...metadata, ...(hasSecretFinalizer && { finalizers: [finalizers.secret] }) },
  };
}

export interface NodeLooks extends Meta {
  isReady?: boolean;
  heartbeat?: string;
  taint?: string;
  providerID?: string;
}

export function aNode({
  isReady = true,
  heartbeat = '',
  taint,
  providerID = 'local:///a/1',
  ...meta
}: NodeLooks = {}): Node {
  const status = isReady ? 'True' : 'False';
  return {
    metadata: metaOf({ name: 'node-a', ...meta }, ''),
    spec: {
      providerID,
      ...(taint !== undefined && { taints: [{ key: taint, effect: 'NoSchedule' }] }),
    },
    status: { conditions: [{ type: 'Ready', status, lastHeartbeatTime: heartbeat }] },
  };
}
