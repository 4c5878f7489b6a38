/** The fields of a Machine that its workflow may know. */
import type { Machine } from '../../workflows/api/machine.ts';
import { otherThanUsual, type CommandSource } from '../../workflows/api/command-source.ts';
import { holdReportIn } from '../../workflows/api/deletion-hooks.ts';
import type { MachineDefaults } from '../../workflows/api/settings.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { deadlineOf, type Period } from '../../workflows/values/pauses.ts';
import type {
  MachineLimits,
  PreparedMachine,
} from '../../workflows/contracts/machine-activities.ts';
import { snapshotOf } from '../../workflows/contracts/snapshots.ts';
import { nodeConditionsOf } from './conditions.ts';
import { defined } from '../../workflows/values/defined.ts';
import { annotations, labels } from '../../workflows/api/constants.ts';
import type { NodeTemplate } from '../../workflows/plan/machine/node-template.ts';
import { isNodeTemplateTooLong, shortTextsOf } from '../../workflows/api/validation.ts';
import { machinePhaseOf, type MachinePhase } from '../../workflows/api/phases.ts';
import { creationTimeoutSecondsOf } from '../../workflows/api/creation-timeout.ts';
import { evictRetriesWithin } from '../../workflows/plan/drain/removals.ts';
import { secondsOf } from './limits.ts';

/** Returns what a workflow may know of a Machine: no secret, no user data. */
export function preparedOf(
  machine: Machine,
  dependencies: {
    defaults: MachineDefaults;
    target?: KubeClient;
    pauses?: () => readonly Period[];
    commandsBy?: CommandSource;
  },
): PreparedMachine {
  const { metadata, spec, status } = machine;
  const { command: _signalled, ...seen } = snapshotOf(machine);
  const limits = limitsOf(machine, dependencies.defaults);
  const { className, providerID, nodeConditions } = shortTextsOf(spec);
  const { held, drainHeldUntil } = holdReportIn(status?.conditions, Date.parse);
  return defined({
    ...seen,
    createdAt: creationCountsFrom(machine, limits, dependencies.pauses?.() ?? []),
    className,
    machineSet: machineSetOf(machine),
    phase: phaseOf(machine),
    providerID: nonEmpty(providerID),
    nodeName: nonEmpty(metadata.labels?.[labels.node]),
    lastKnownState: nonEmpty(status?.lastKnownState),
    nodeTemplate: nodeTemplateOf(machine),
    nodeConditions,
    createGeneration: createGenerationOf(machine),
    usesTarget: dependencies.target !== undefined,
    limits,
    commandsBy: otherThanUsual(dependencies.commandsBy),
    wasNodeSeen: wasNodeSeen(machine) || undefined,
    ...(metadata.deletionTimestamp !== undefined && { heldSince: held?.since, drainHeldUntil }),
  });
}

/** It carries conditions of a Node. */
export function wasNodeSeen(machine: Machine): boolean {
  return nodeConditionsOf(machine).length > 0;
}

/**
 * Milliseconds. No machine is late because nothing could be done: its time moves by the pauses in
 * it.
 */
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

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

export function machineSetOf({ metadata }: Machine): string | undefined {
  return metadata.ownerReferences?.find(
    ({ controller, kind }) => controller === true && kind === 'MachineSet',
  )?.name;
}

/**
 * Leaves out a template that is too long, and refused: it does not fit into what Temporal keeps.
 */
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

/** The machine's own word, else the flag. */
function limitsOf(machine: Machine, defaults: MachineDefaults): MachineLimits {
  const { spec } = machine;
  const drainTimeoutSeconds = secondsOf(spec.drainTimeout) ?? defaults.drainTimeoutSeconds;
  const retries = spec.maxEvictRetries ?? defaults.maxEvictRetries;
  return {
    creationTimeoutSeconds: creationTimeoutSecondsOf(machine) ?? defaults.creationTimeoutSeconds,
    drainTimeoutSeconds,
    maxEvictRetries: evictRetriesWithin(retries, drainTimeoutSeconds),
    resourceExhaustedRetrySeconds: defaults.resourceExhaustedRetrySeconds,
  };
}
