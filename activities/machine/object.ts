/** Reading and writing one Machine. */
import type { LifeRef, ObjectRef } from '../../workflows/contracts/references.ts';
import type {
  MachineLimits,
  PreparedMachine,
} from '../../workflows/contracts/machine-activities.ts';
import { annotations, apiVersion, labels } from '../../workflows/api/constants.ts';
import type { DrainOptions } from '../../workflows/api/drain-options.ts';
import { drainOptionsIn } from '../../workflows/api/drain-options.ts';
import { isForceDeletion } from '../../workflows/api/force-deletion.ts';
import { parseDuration } from '../../workflows/api/duration.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { isNodeTemplateTooLong } from '../../workflows/api/validation.ts';
import type { MachinePhase } from '../../workflows/api/phases.ts';
import { machinePhaseOf } from '../../workflows/api/phases.ts';
import { preservationNotesOf } from '../../workflows/api/preservation.ts';
import type { MachineDefaults } from '../../workflows/api/settings.ts';
import type { NodeTemplate } from '../../workflows/plan/machine/node-template.ts';
import type { Period } from '../../workflows/values/pauses.ts';
import { deadlineOf } from '../../workflows/values/pauses.ts';
import { defined } from '../../workflows/values/defined.ts';
import { evictRetriesWithin } from '../../workflows/plan/drain/removals.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { isConflict, isNotFound } from '../kube/client/errors.ts';
import type { EventSubject } from '../kube/objects/event.ts';
import { hasFinalizer } from '../kube/objects/finalizers.ts';
import { orUndefined } from '../kube/client/ignore.ts';
import { customResource } from '../kube/client/paths.ts';

export const component = 'machine-controller';

function machinePath({ namespace, name }: ObjectRef): string {
  return customResource('machines', namespace, name);
}

/** Undefined when there is none. */
export async function readMachine(
  control: KubeClient,
  ref: ObjectRef,
): Promise<Machine | undefined> {
  return await orUndefined(control.get<Machine>(machinePath(ref)));
}

/**
 * Merge-patches this life of a Machine, `/status` or the rest. Undefined when the object is gone or its name belongs to
 * another life: the UID in the patch is a precondition.
 */
export async function patchMachine(
  control: KubeClient,
  machine: LifeRef,
  patch: { metadata?: object; spec?: object } | { status: object },
): Promise<Machine | undefined> {
  const path = `${machinePath(machine)}${'status' in patch ? '/status' : ''}`;
  const metadata = { ...('metadata' in patch ? patch.metadata : {}), uid: machine.uid };
  try {
    return await control.patch<Machine>(path, 'merge', { ...patch, metadata });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    if (isConflict(error) && !(await isSameLife(control, machine))) return undefined;
    throw error;
  }
}

async function isSameLife(control: KubeClient, machine: LifeRef): Promise<boolean> {
  return (await readMachine(control, machine))?.metadata.uid === machine.uid;
}

export function lifeOf({ metadata: { namespace = '', name, uid } }: Machine): LifeRef {
  return { namespace, name, uid };
}

export function machineSubject({ namespace, name, uid }: LifeRef): EventSubject {
  return { apiVersion, kind: 'Machine', namespace, name, uid };
}

/** What a workflow may know of a Machine: no secret, no user data. */
export function preparedOf(
  machine: Machine,
  world: { defaults: MachineDefaults; target?: KubeClient; pauses?: () => readonly Period[] },
): PreparedMachine {
  const { metadata, spec, status } = machine;
  const limits = limitsOf(machine, world.defaults);
  return defined({
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    isDeleting: metadata.deletionTimestamp !== undefined,
    hasFinalizer: hasFinalizer(machine),
    createdAt: creationCountsFrom(machine, limits, world.pauses?.() ?? []),
    deletionRequestedAt: millisecondsOf(metadata.deletionTimestamp),
    className: spec.class?.name ?? '',
    machineSet: machineSetOf(machine),
    phase: phaseOf(machine),
    providerID: nonEmpty(spec.providerID),
    nodeName: nonEmpty(metadata.labels?.[labels.node]),
    lastKnownState: nonEmpty(status?.lastKnownState),
    nodeTemplate: nodeTemplateOf(machine),
    nodeConditions: spec.nodeConditions?.split(','),
    createGeneration: createGenerationOf(machine),
    usesTarget: world.target !== undefined,
    limits,
    ...noticesOf(machine),
    drain: drainOptionsOf(machine),
    preservation: preservationNotesOf(machine),
  });
}

/** Absent where they do not hold. */
function noticesOf(machine: Machine): { wasNodeSeen?: true; forceDeletion?: true } {
  return {
    ...(wasNodeSeen(machine) && { wasNodeSeen: true }),
    ...(isForceDeletion(machine.metadata.labels) && { forceDeletion: true }),
  };
}

/** It carries conditions of a Node. */
export function wasNodeSeen({ status }: Machine): boolean {
  return (status?.conditions ?? []).length > 0;
}

/** Milliseconds. No machine is late because nothing could be done: its time moves by the pauses in it. */
function creationCountsFrom(
  { metadata }: Machine,
  { creationTimeoutSeconds }: MachineLimits,
  pauses: readonly Period[],
): number {
  const timeoutMs = creationTimeoutSeconds * 1_000;
  return (
    deadlineOf({ from: Date.parse(metadata.creationTimestamp), timeoutMs }, pauses) - timeoutMs
  );
}

function drainOptionsOf({ metadata }: Machine): DrainOptions | undefined {
  const found = drainOptionsIn(metadata.annotations, Date.parse);
  return Object.keys(found).length > 0 ? found : undefined;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function millisecondsOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time);
}

function machineSetOf({ metadata }: Machine): string | undefined {
  return metadata.ownerReferences?.find(
    ({ controller, kind }) => controller === true && kind === 'MachineSet',
  )?.name;
}

/** One that is refused for its length is left out: it does not fit into what Temporal keeps. */
function nodeTemplateOf({ spec }: Machine): NodeTemplate | undefined {
  if (isNodeTemplateTooLong(spec)) return undefined;
  const { metadata, spec: nodeSpec } = spec.nodeTemplate ?? {};
  const { labels: nodeLabels, annotations: notes } = metadata ?? {};
  const template = defined({ labels: nodeLabels, annotations: notes, taints: nodeSpec?.taints });
  return Object.keys(template).length > 0 ? template : undefined;
}

export function phaseOf({ status }: Machine): MachinePhase {
  return machinePhaseOf(status?.currentStatus?.phase);
}

function createGenerationOf({ metadata }: Machine): number {
  const text = metadata.annotations?.[annotations.createGeneration] ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

/** The machine's own word, else the flag. For creation the annotation goes first, as in MCM v0.62.1. */
function limitsOf({ metadata, spec }: Machine, defaults: MachineDefaults): MachineLimits {
  const drainTimeoutSeconds = secondsOf(spec.drainTimeout) ?? defaults.drainTimeoutSeconds;
  const retries = spec.maxEvictRetries ?? defaults.maxEvictRetries;
  return {
    creationTimeoutSeconds:
      secondsOf(metadata.annotations?.[annotations.effectiveCreationTimeout]) ??
      secondsOf(spec.creationTimeout) ??
      defaults.creationTimeoutSeconds,
    drainTimeoutSeconds,
    maxEvictRetries: evictRetriesWithin(retries, drainTimeoutSeconds),
    resourceExhaustedRetrySeconds: defaults.resourceExhaustedRetrySeconds,
  };
}

export interface HealthLimits {
  /** Types of conditions that must be False. */
  nodeConditions: string[];
  /** Absent with `disableHealthTimeout`. */
  timeoutSeconds?: number;
}

export function healthLimitsOf({ spec }: Machine, defaults: MachineDefaults): HealthLimits {
  const isDisabled = spec.disableHealthTimeout ?? false;
  const seconds = secondsOf(spec.healthTimeout) ?? defaults.healthTimeoutSeconds;
  return defined({
    nodeConditions: spec.nodeConditions?.split(',') ?? defaults.nodeConditions,
    timeoutSeconds: isDisabled ? undefined : seconds,
  });
}

export function preserveSecondsOf({ spec }: Machine, defaults: MachineDefaults): number {
  return secondsOf(spec.machinePreserveTimeout) ?? defaults.preserveTimeoutSeconds;
}

/** Nonsense counts as absent, as in MCM v0.62.1; the CRD refuses it where it can. */
function secondsOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDuration(text);
}

/** Kubernetes times have no fractions of a second. */
export function timestamp(milliseconds = Date.now()): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}
