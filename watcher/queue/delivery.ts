/** Hands signals to Temporal. */
import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { SearchAttributePair } from '@temporalio/common';
import { TypedSearchAttributes } from '@temporalio/common';
import { keys } from '../../workflows/contracts/search-attributes.ts';
import { workflowIdOf } from '../../workflows/contracts/workflow-ids.ts';
import type { RunTimeouts } from '../../workflows/contracts/run-memo.ts';
import { memoOf } from '../../workflows/contracts/run-memo.ts';
import { plainMemo } from '../../workflows/contracts/plain-memo.ts';
import type { WorkflowInput } from '../../workflows/contracts/references.ts';
import { clip, longestKeywordBytes, longestSummaryBytes } from '../../workflows/values/clip.ts';
import type { Delivered } from './signal-queue.ts';
import type { Signal, Start } from '../dispatch/signal.ts';
import { nowMs } from '../../activities/system/system.ts';
import { beforeMachines } from '../../workflows/contracts/priorities.ts';
import { digestOf } from '../cache/digest.ts';

export interface DeliveryOptions {
  temporal: Client;
  namespace: string;
  /** Id of the control cluster. */
  cluster: string;
  /** See `workflowIdOf`. */
  clusterName?: string | undefined;
  taskQueue: string;
  /** Timeouts of the runs that it starts. */
  timeouts: RunTimeouts;
  /** Default for Machines that set none. */
  creationTimeoutSeconds: number;
  /** Reports whether this process launches machines of the provider in one step. Default: none. */
  launches?: ((provider: string) => boolean) | undefined;
}

/** A call that hangs would hold up all that its workflow is to hear. */
const callTimeoutMs = 5_000;

/** A run that fails begins anew, see docs/decisions/0006-broken-histories.md. */
export function runOptionsOf(timeouts: RunTimeouts) {
  return {
    workflowTaskTimeout: timeouts.workflowTaskSeconds * 1_000,
    memo: plainMemo(memoOf(timeouts)),
    retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '60 s' },
  } as const;
}

export function createDelivery(options: DeliveryOptions): (signal: Signal) => Promise<Delivered> {
  const { temporal, namespace, cluster, clusterName, taskQueue } = options;
  const runOptions = runOptionsOf(options.timeouts);
  const idOf = ({ kind, object }: Signal): string =>
    workflowIdOf(kind, { namespace, name: object }, clusterName);

  async function signalOrStart(signal: Signal, start: Start): Promise<Delivered> {
    const ref = { namespace, name: signal.object };
    const input: WorkflowInput = { ref, cluster, ...launchOf(start, options) };
    await temporal.workflow.signalWithStart(signal.kind, {
      workflowId: idOf(signal),
      args: [input],
      taskQueue,
      signal: signal.name,
      signalArgs: [signal.payload],
      // A new life of an object begins a new run; a run that goes on is only signalled.
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      ...runOptions,
      priority: priorityOf(signal, { ...start, namespace }),
      staticSummary: clip(start.summary, longestSummaryBytes),
      typedSearchAttributes: attributesOf(start, options),
    });
    return 'sent';
  }

  async function signalOnly(signal: Signal): Promise<Delivered> {
    try {
      await temporal.workflow.getHandle(idOf(signal)).signal(signal.name, signal.payload);
      return 'sent';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return 'noWorkflow';
      throw error;
    }
  }

  return (signal) => {
    const { start } = signal;
    return temporal.connection.withDeadline(nowMs() + callTimeoutMs, () =>
      start === undefined ? signalOnly(signal) : signalOrStart(signal, start),
    );
  };
}

function launchOf(
  { provider, machine }: Start,
  { launches, creationTimeoutSeconds }: DeliveryOptions,
): Pick<WorkflowInput, 'launch'> {
  if (!provider || !machine || !launches?.(provider)) return {};
  return { launch: { provider, deadline: deadlineOf(machine, creationTimeoutSeconds) } };
}

function attributesOf(
  start: Start,
  { namespace, cluster, creationTimeoutSeconds }: DeliveryOptions,
): TypedSearchAttributes {
  const values = [
    ['KubeCluster', cluster],
    ['KubeNamespace', namespace],
    ['MachineSet', start.machineSet],
    ['MachineDeployment', start.machineDeployment],
    ['MachineClass', start.machineClass],
    ['Attention', 'none'],
  ] as const;
  const pairs = values.flatMap(([name, value]) =>
    value ? [{ key: keys[name], value: clip(value, longestKeywordBytes) }] : [],
  );
  const ofMachine = start.machine ? attributesOfMachine(start.machine, creationTimeoutSeconds) : [];
  return new TypedSearchAttributes([...pairs, ...ofMachine]);
}

/** As its workflow would show it, which saves a change of them. */
function attributesOfMachine(
  machine: NonNullable<Start['machine']>,
  defaultSeconds: number,
): SearchAttributePair[] {
  const { phase, createdAt } = machine;
  if (phase !== '') return [{ key: keys.State, value: clip(phase, longestKeywordBytes) }];
  return [
    { key: keys.State, value: 'Pending' },
    { key: keys.WaitingSince, value: new Date(createdAt) },
    { key: keys.Deadline, value: new Date(deadlineOf(machine, defaultSeconds)) },
  ];
}

/** Of its creation, milliseconds. */
function deadlineOf(
  { createdAt, creationTimeoutSeconds }: NonNullable<Start['machine']>,
  defaultSeconds: number,
): number {
  return createdAt + (creationTimeoutSeconds ?? defaultSeconds) * 1_000;
}

/** The server's limit, in bytes. */
const longestKeyBytes = 64;

/**
 * Machines take turns by namespace and pool, so that one machine does not wait behind two thousand
 * of another pool. Activities and later runs inherit it
 * (docs/decisions/0038-limits-that-protect-others.md).
 */
export function priorityOf(
  { kind }: Pick<Signal, 'kind'>,
  {
    machineDeployment,
    machineSet = '',
    namespace,
  }: Pick<Start, 'machineDeployment' | 'machineSet'> & { namespace: string },
): { priorityKey: number } | { fairnessKey: string } {
  if (kind !== 'machine') return beforeMachines;
  return { fairnessKey: fairnessKeyOf(namespace, machineDeployment ?? machineSet) };
}

/**
 * The task queue is one cluster's and one install's, which may serve many namespaces. Machines of a
 * namespace that have no set share one key: each with its own would take as many turns as there are
 * of them.
 */
function fairnessKeyOf(namespace: string, pool: string): string {
  const key = `${namespace}/${pool}`;
  return Buffer.byteLength(key) <= longestKeyBytes ? key : digestOf(key);
}
