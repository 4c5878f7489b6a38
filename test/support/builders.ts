/**
 * Objects as an API server holds them: a test says what matters to it, the rest is a healthy
 * object.
 */
import type { Pod } from '../../activities/drain/pods.ts';
import type { Node } from '../../kube/objects/nodes.ts';
import { apiVersion, finalizers, ownGroup } from '../../workflows/api/constants.ts';
import type { DisruptionPolicy } from '../../workflows/api/disruption-policy.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet, MachineTemplateSpec } from '../../workflows/api/machine-set.ts';
import type { Machine, MachineStatus } from '../../workflows/api/machine.ts';
import type { ObjectMeta, OwnerReference } from '../../workflows/api/meta.ts';
import type { MachinePhase } from '../../workflows/api/phases.ts';

/** Of all objects here. */
export const namespace = 'shoot';
export const createdAt = '2026-01-01T00:00:00Z';

/** Metadata to change, and the parts of the object by name. */
export type Changes<T> = Partial<Omit<T, 'metadata'>> & { metadata?: Partial<ObjectMeta> };

export function aMachine({
  phase,
  metadata,
  ...changes
}: Changes<Machine> & { phase?: MachinePhase } = {}): Machine {
  const status: MachineStatus | undefined =
    phase === undefined ? undefined : { currentStatus: { phase } };
  return {
    apiVersion,
    kind: 'Machine',
    metadata: metaOf('pool-a', metadata),
    spec: { class: { kind: 'MachineClass', name: 'small' } },
    ...(status && { status }),
    ...changes,
  };
}

export function aTemplate(changes: Partial<MachineTemplateSpec> = {}): MachineTemplateSpec {
  return {
    metadata: { labels: { pool: 'a' } },
    spec: { class: { kind: 'MachineClass', name: 'small' } },
    ...changes,
  };
}

export function aMachineSet({ metadata, spec, ...changes }: Changes<MachineSet> = {}): MachineSet {
  return {
    apiVersion,
    kind: 'MachineSet',
    metadata: { ...metaOf('pool', metadata), generation: 1 },
    spec: { replicas: 3, selector: { matchLabels: { pool: 'a' } }, template: aTemplate(), ...spec },
    ...changes,
  };
}

export function aMachineDeployment({
  metadata,
  spec,
  ...changes
}: Changes<Omit<MachineDeployment, 'spec'>> & {
  spec?: Partial<MachineDeployment['spec']>;
} = {}): MachineDeployment {
  return {
    apiVersion,
    kind: 'MachineDeployment',
    metadata: { ...metaOf('workers', metadata), generation: 1 },
    spec: {
      replicas: 3,
      selector: { matchLabels: { pool: 'a' } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: aTemplate(),
      ...spec,
    },
    ...changes,
  };
}

export function aMachineClass({ metadata, ...changes }: Changes<MachineClass> = {}): MachineClass {
  return {
    apiVersion,
    kind: 'MachineClass',
    metadata: metaOf('small', metadata),
    provider: 'virtual',
    providerSpec: {},
    secretRef: { name: 'small-secret', namespace },
    ...changes,
  };
}

export function aDisruptionPolicy({
  metadata,
  ...changes
}: Changes<DisruptionPolicy> = {}): DisruptionPolicy {
  return {
    apiVersion: `${ownGroup}/v1alpha1`,
    kind: 'DisruptionPolicy',
    metadata: metaOf('weekend', metadata),
    spec: {},
    ...changes,
  };
}

export interface Secret {
  kind: 'Secret';
  metadata: ObjectMeta;
  data: Record<string, string>;
}

/** `texts` as a person writes them: the API server keeps them in base64. */
export function aSecret(
  texts: Record<string, string> = { userData: '' },
  metadata: Partial<ObjectMeta> = {},
): Secret {
  const data = Object.entries(texts).map(([key, text]) => [key, base64(text)]);
  return {
    kind: 'Secret',
    metadata: metaOf('small-secret', { finalizers: [], ...metadata }),
    data: Object.fromEntries(data),
  };
}

export function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Ready, and of the instance that `aMachine` would have. */
export function aNode({ metadata, ...changes }: Changes<Node> = {}): Node & { kind: 'Node' } {
  const { namespace: _none, ...meta } = metaOf('pool-a', { finalizers: [], ...metadata });
  return {
    kind: 'Node',
    metadata: meta,
    spec: { providerID: 'local:///zone-1/i-1' },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
    ...changes,
  };
}

export function aPod({ metadata, ...changes }: Changes<Pod> = {}): Pod & { kind: 'Pod' } {
  return {
    kind: 'Pod',
    metadata: metaOf('web-0', { namespace: 'default', finalizers: [], ...metadata }),
    spec: { nodeName: 'pool-a' },
    ...changes,
  };
}

/** The controller of another object, as its owner reference says it. */
export function controlledBy({
  kind = '',
  metadata,
}: {
  kind?: string;
  metadata: ObjectMeta;
}): OwnerReference[] {
  const { name, uid } = metadata;
  return [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }];
}

function metaOf(name: string, changes: Partial<ObjectMeta> = {}): ObjectMeta {
  const realName = changes.name ?? name;
  return {
    name: realName,
    namespace,
    uid: `uid-of-${realName}`,
    resourceVersion: '1',
    creationTimestamp: createdAt,
    finalizers: [finalizers.machine],
    ...changes,
  };
}
