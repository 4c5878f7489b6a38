/** The MachineSet that a MachineDeployment makes, and what it later takes over from it. */
import {
  annotations,
  apiVersion,
  finalizers,
  labels,
  options,
} from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet, MachineSetSpec } from '../../workflows/api/machine-set.ts';
import { defined } from '../../workflows/values/defined.ts';
import { mergePatchOf } from '../../workflows/values/merge-patch.ts';
import { surgeOf } from '../../workflows/plan/machine-deployment/fenceposts.ts';
import { fromZeroPrefix } from '../../workflows/plan/machine-deployment/from-zero.ts';
import {
  historyWith,
  revisionOf,
} from '../../workflows/plan/machine-deployment/rollout/revisions.ts';
import { machineSetName, templateHash } from '../../workflows/values/names.ts';
import { pushedFields } from '../../workflows/plan/machine-set/template-push.ts';
import { ownerReferenceOf } from '../machine-set/ownership.ts';

/**
 * Annotations that do not go from a deployment to its sets, nor back in a rollback; neither do
 * ours.
 */
const ownKeys = new Set<string>([
  annotations.lastAppliedByKubectl,
  annotations.revision,
  annotations.revisionHistory,
  annotations.desiredReplicas,
  annotations.maxReplicas,
  annotations.preferNoSchedule,
  annotations.unfreeze,
  annotations.triggerDeletion,
]);
/**
 * The annotations about Nodes from zero stand on the deployment alone: a copy that a rollback
 * brings back would pass for the value of a person, and would not follow the class any more.
 */
const ownPrefixes = ['millwright.dev/', fromZeroPrefix];

export function isCopied(key: string): boolean {
  return !ownKeys.has(key) && !ownPrefixes.some((prefix) => key.startsWith(prefix));
}

function copiedFrom(notes: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(notes).filter(([key]) => isCopied(key)));
}

export interface NewSet {
  name: string;
  hash: string;
}

/** More collisions than this of a 32-bit hash mean that something else is wrong. */
const mostCollisions = 100;

/** Names for a set of the present template, the one without a collision first. */
export function* newSetNames({ metadata, spec }: MachineDeployment): Generator<NewSet> {
  const restart = metadata.annotations?.[options.restart];
  const seed = restart === undefined ? spec.template : { ...spec.template, restart };
  for (let collisions = 0; collisions < mostCollisions; collisions += 1) {
    const hash = templateHash(seed, collisions);
    yield { name: machineSetName(metadata.name, hash), hash };
  }
}

/** Undefined when no set of the present template would have this name. */
export function newSetNamed(deployment: MachineDeployment, name: string): NewSet | undefined {
  for (const candidate of newSetNames(deployment)) if (candidate.name === name) return candidate;
  return undefined;
}

export function newSetOf(
  deployment: MachineDeployment,
  { name, hash, replicas, revision }: NewSet & { replicas: number; revision: number },
): object {
  const { metadata, spec } = deployment;
  const hashLabel = { [labels.templateHash]: hash };
  const templateLabels = { ...spec.template.metadata?.labels, ...hashLabel };
  return {
    apiVersion,
    kind: 'MachineSet',
    metadata: {
      name,
      namespace: metadata.namespace,
      labels: templateLabels,
      annotations: {
        ...copiedFrom(metadata.annotations),
        ...scalingAnnotationsOf(deployment),
        ...restartMarkOf(deployment),
        [annotations.revision]: String(revision),
      },
      finalizers: [finalizers.machine],
      ownerReferences: [ownerReferenceOf(deployment)],
    },
    spec: {
      replicas,
      ...takenOverSpec(deployment),
      selector: {
        ...spec.selector,
        matchLabels: { ...spec.selector?.matchLabels, ...hashLabel },
      },
      template: {
        ...spec.template,
        metadata: { ...spec.template.metadata, labels: templateLabels },
      },
    },
  };
}

/** Annotations that mark a scaling, no rollout; the cluster autoscaler and dashboards read them. */
export function scalingAnnotationsOf(deployment: MachineDeployment): Record<string, string> {
  const { replicas = 0 } = deployment.spec;
  return scalingAnnotations(replicas, replicas + maxSurgeOf(deployment));
}

/** With OnDelete a new machine comes only in place of one that is gone. */
export function maxSurgeOf({ metadata, spec }: MachineDeployment): number {
  const isOnDelete = metadata.annotations?.[options.onDelete] === 'true';
  return isOnDelete && spec.strategy?.type !== 'InPlaceUpdate' ? 0 : surgeOf(spec);
}

export function scalingAnnotations(desired: number, max: number): Record<string, string> {
  return { [annotations.desiredReplicas]: String(desired), [annotations.maxReplicas]: String(max) };
}

/** An annotation that the deployment dropped stays on the set. */
export function scaledAtNote(scaledAt: string | undefined): Record<string, string> {
  return scaledAt === undefined ? {} : { [annotations.lastScaledByAutoscaler]: scaledAt };
}

function restartMarkOf({ metadata }: MachineDeployment): Record<string, string> {
  const restart = metadata.annotations?.[options.restart];
  return restart === undefined ? {} : { [options.restart]: restart };
}

function takenOverSpec({ spec }: MachineDeployment): Partial<MachineSetSpec> {
  const { minReadySeconds, autoPreserveFailedMachineMax } = spec;
  return defined({ minReadySeconds, autoPreserveFailedMachineMax });
}

/**
 * Patch for what the set of the template takes over: annotations, two numbers, and the fields that
 * are pushed down to machines. A merge patch that holds for the set as it was read; undefined when
 * there is nothing to take over. As in MCM v0.62.1 an annotation that the deployment dropped stays
 * on the set.
 */
export function syncPatchOf(
  deployment: MachineDeployment,
  set: MachineSet,
  revision: number,
): object | undefined {
  const present = set.metadata.annotations ?? {};
  const notes = mergePatchOf(present, {
    ...present,
    ...copiedFrom(deployment.metadata.annotations),
    // It goes with the size that it is the time of, see `scaleSet`.
    [annotations.lastScaledByAutoscaler]: present[annotations.lastScaledByAutoscaler],
    ...restartMarkOf(deployment),
    ...revisionPart(present, revision),
  });
  const spec = mergePatchOf(set.spec, takenOverBy(deployment, set.spec));
  if (notes === undefined && spec === undefined) return undefined;
  const { resourceVersion } = set.metadata;
  return defined({ metadata: defined({ resourceVersion, annotations: notes }), spec });
}

function revisionPart(present: Record<string, string>, revision: number): Record<string, string> {
  const left = revisionOf(present[annotations.revision]);
  if (left >= revision) return {};
  const next = { [annotations.revision]: String(revision) };
  if (left === 0) return next;
  const history = historyWith(present[annotations.revisionHistory], left);
  return { ...next, [annotations.revisionHistory]: history };
}

function takenOverBy({ spec }: MachineDeployment, present: MachineSetSpec): object {
  const wanted = spec.template.spec ?? {};
  const pushed = Object.fromEntries(pushedFields.map((field) => [field, wanted[field]]));
  const template = {
    ...present.template,
    spec: {
      ...present.template?.spec,
      ...pushed,
      class: defined({ ...present.template?.spec?.class, kind: wanted.class?.kind }),
    },
  };
  // Absent and zero are the same here.
  const { minReadySeconds, autoPreserveFailedMachineMax } = spec;
  return {
    ...present,
    minReadySeconds: minReadySeconds || undefined,
    autoPreserveFailedMachineMax: autoPreserveFailedMachineMax || undefined,
    template,
  };
}
