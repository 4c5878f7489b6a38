/** Checks if workers poll our task queues, and who else does. */
import type { Client } from '@temporalio/client';
import { customResource } from '../../kube/client/paths.ts';
import { isRefusal } from '../../kube/client/errors.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { drainQueueOf, driverQueueOf } from '../../workflows/contracts/task-queues.ts';
import { podsOf } from '../install/deployments.ts';
import type { Check, DoctorResult } from './check.ts';
import { error, ok, skipped, warning } from './check.ts';
import type { Observed } from './observed.ts';
import { podsCommand } from './observed.ts';

export interface ObservedTemporal {
  client: Client;
  /** Gives the calls a time limit. */
  within<Answer>(ask: () => Promise<Answer>): Promise<Answer>;
}

interface Queue {
  name: string;
  /** As `temporal.api.enums.v1.TaskQueueType` counts them: workflows, activities. */
  type: 1 | 2;
  serves: string;
  /** No machine needs it now. */
  isUnused?: boolean;
}

export function queueChecks(observed: Observed, temporal: ObservedTemporal): Check[] {
  const name = 'task queues';
  return [{ name, run: () => temporal.within(() => queues(observed, temporal)) }];
}

async function queues(observed: Observed, temporal: ObservedTemporal): Promise<DoctorResult[]> {
  const { taskQueue } = observed;
  if (taskQueue === undefined) {
    return [
      skipped(
        'task queues',
        'the id of the cluster is not known: you may not read namespace kube-system',
      ),
    ];
  }
  const now = Date.now();
  const found = await Promise.all(
    (await queuesOf(observed, taskQueue)).map(async (queue) => ({
      queue,
      pollers: await pollersOf(temporal.client, queue, now),
    })),
  );
  const silent = found.filter(({ pollers }) => pollers.length === 0);
  const strangers = await strangersIn(
    observed,
    found.slice(0, 2).flatMap(({ pollers }) => pollers),
  );
  const late = clockResult(
    found.flatMap(({ pollers }) => pollers),
    now,
  );
  const fine = ok('task queues', `${found.length} queues of ${taskQueue} are polled`);
  return [
    ...(silent.length === 0 ? [fine] : silent.map(({ queue }) => unserved(queue, observed))),
    ...strangers,
    ...late,
  ];
}

async function queuesOf({ kube, namespace }: Observed, taskQueue: string): Promise<Queue[]> {
  const { items } = await kube.list<MachineClass>(customResource('machineclasses', namespace));
  const { items: machines } = await kube.list<Machine>(customResource('machines', namespace));
  const names = new Set(machines.map(({ spec }) => spec.class?.name));
  const used = items.filter(({ metadata }) => names.has(metadata.name)).map(providerOf);
  const providers = [...new Set(items.map(providerOf))].filter((one) => one !== '').toSorted();
  return [
    { name: taskQueue, type: 1, serves: 'workflows' },
    { name: drainQueueOf(taskQueue), type: 2, serves: 'drains' },
    ...providers.map((provider) => ({
      name: driverQueueOf(taskQueue, provider, 'create'),
      type: 2 as const,
      serves: `the driver ${provider}`,
      isUnused: !used.includes(provider),
    })),
  ];
}

const providerOf = ({ provider = '' }: MachineClass): string => provider;

/** A poll lasts a minute; Temporal remembers its worker for five. */
const pollsWithinMs = 75_000;

interface Poller {
  identity: string;
  /** Milliseconds, by the clock of Temporal. */
  at: number;
}

async function pollersOf(client: Client, { name, type }: Queue, now: number): Promise<Poller[]> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name },
    taskQueueType: type,
  });
  return pollers
    .map(({ identity, lastAccessTime }) => ({
      identity: identity ?? '',
      at: Number(lastAccessTime?.seconds ?? 0) * 1_000,
    }))
    .filter(({ at }) => now - at < pollsWithinMs);
}

function unserved({ name, serves, isUnused = false }: Queue, observed: Observed): DoctorResult {
  const message = `no worker polls for ${serves} (${name}); one that ended is remembered for a minute`;
  const level = isUnused ? warning : error;
  const other =
    observed.ours?.length === 0
      ? '\nor, where the Deployments are elsewhere, as those of a fleet: --release-namespace'
      : '';
  return level('task queues', message, `start a worker; ${podsCommand(observed)}${other}`);
}

/** Workers are called after their pods. */
async function strangersIn(
  observed: Observed,
  pollers: readonly Poller[],
): Promise<DoctorResult[]> {
  const pods = await podNamesOf(observed);
  if (pods === undefined) return [];
  const identities = new Set(pollers.map(({ identity }) => identity));
  const strangers = [...identities].filter((identity) => !pods.includes(identity));
  if (strangers.length === 0) return [];
  const message = `polled by ${strangers.join(', ')}, which ${strangers.length === 1 ? 'is no pod' : 'are no pods'} of this install: two installs must not have one name`;
  return [
    warning('task queues', message, 'end them, or give one of the installs another --install'),
  ];
}

/** Undefined where that is not known, and where processes run outside of the cluster. */
async function podNamesOf({ kube, ours = [] }: Observed): Promise<string[] | undefined> {
  if (ours.length === 0) return undefined;
  try {
    return (await Promise.all(ours.map((one) => podsOf(kube, one)))).flat();
  } catch (reason) {
    if (isRefusal(reason)) return undefined;
    throw reason;
  }
}

const allowedMs = 5_000;

/** Temporal says no time of its own but that of a poll, which was before now. */
function clockResult(pollers: readonly Poller[], now: number): DoctorResult[] {
  const newest = Math.max(...pollers.map(({ at }) => at));
  if (pollers.length === 0) return [];
  const ahead = Math.round((newest - now) / 1_000);
  if (newest - now > allowedMs) {
    const repair = 'set the clocks by NTP: timedatectl status';
    return [warning('clock of Temporal', `at least ${ahead} s ahead of this one`, repair)];
  }
  return [
    ok('clock of Temporal', 'it is not ahead of this one; whether it is behind is not known'),
  ];
}
