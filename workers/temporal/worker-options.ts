/** What the Temporal workers of a process have in common: slots, polls, heartbeats, their end. */
import type { WorkerOptions, WorkerTuner } from '@temporalio/worker';
import type { Slots } from '../../activities/slow-namespaces.ts';
import type { Config } from '../config/config.ts';
import type { WorkflowSlotSupplier } from './workflow-slot-supplier.ts';

type WorkerSettings = Pick<Config, 'temporal' | 'identity' | 'shutdownGraceSeconds'>;

export function baseOptions({
  temporal,
  identity,
  shutdownGraceSeconds,
}: WorkerSettings): Omit<WorkerOptions, 'taskQueue' | 'connection'> {
  return {
    namespace: temporal.namespace,
    identity,
    // Heartbeats come as the interceptor sends them, and with what a drain has to report.
    maxHeartbeatThrottleInterval: '1s',
    defaultHeartbeatThrottleInterval: '1s',
    shutdownGraceTime: `${Math.max(shutdownGraceSeconds - 5, 1)}s`,
    shutdownForceTime: `${Math.max(shutdownGraceSeconds - 2, 2)}s`,
  };
}

/** Of a worker without workflows. */
export function activityWorkerOptions(settings: WorkerSettings & Pick<Config, 'concurrency'>) {
  return {
    ...baseOptions(settings),
    maxConcurrentActivityTaskExecutions: settings.concurrency.syncs,
  };
}

/**
 * A process accepts no more workflow tasks than it can finish before the server gives them to
 * another worker: with 200 slots on two cores 500 machines took five times as long, because most
 * of their tasks expired and ran twice. A core finishes some 18 tasks a second, and a task may take
 * 4 s: slots <= tasks a second x 4 s / 2 leaves room for a neighbour that takes half of the core.
 * `WorkflowSlotSupplier` takes slots away from a core that is slower than that.
 *
 * @param cores As the cgroup grants them; `availableParallelism` counts them so.
 */
export function workflowSlots(cores: number) {
  return { most: 20 * cores, fewest: 4 * cores };
}

/** A local activity holds the slot of its workflow task, so fewer of them run at once. */
export function localActivitySlots(cores: number): number {
  return 8 * cores;
}

export function workflowTuner(
  supplier: WorkflowSlotSupplier,
  { regular, local }: Required<Slots>,
): WorkerTuner {
  return {
    workflowTaskSlotSupplier: supplier,
    localActivityTaskSlotSupplier: { type: 'fixed-size', numSlots: local },
    activityTaskSlotSupplier: { type: 'fixed-size', numSlots: regular },
    nexusTaskSlotSupplier: { type: 'fixed-size', numSlots: 1 },
  };
}

/**
 * Long polls that a worker holds open for each of its queues, however idle it is. The SDK's ten for
 * each of three queues of each provider would be most of the calls that are open in a process. With
 * a round trip of 20 ms two polls fetch 100 tasks a second, more than a cloud is asked. Many drains
 * begin at once.
 *
 * Not those that scale themselves (`autoscaling`): they begin with few and came to 55 under load,
 * and each scale-in of 100 machines took longer than each with ten.
 */
export const driverPolls = pollsOfActivities(2);
export const drainPolls = pollsOfActivities(5);
/** Most activities of the core are local ones. */
export const corePolls = pollsOfActivities(5);

function pollsOfActivities(maximum: number): Pick<WorkerOptions, 'activityTaskPollerBehavior'> {
  return { activityTaskPollerBehavior: { type: 'simple-maximum', maximum } };
}
