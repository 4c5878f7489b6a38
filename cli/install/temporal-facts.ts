/** Whether Temporal answers, whether workers poll, and whether their code goes on. */
import { Client, isGrpcServiceError } from '@temporalio/client';
import { connectTo } from '../../workers/kube/clients.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import { dataConverterOf } from '../../workers/payloads/data-converter.ts';
import { taskQueueOf } from '../../workflows/contracts/task-queues.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import type { Install, TemporalFacts } from './install.ts';
import { seesWorker } from './install.ts';
import { isOtherThan } from './noted.ts';
import { clusterIdOf } from '../connection/temporal-options.ts';
import type { InstallFlags } from './flags.ts';
import type { TemporalOptions } from '../command-line/options.ts';
import { temporalSettingsOf } from '../connection/temporal.ts';
import { readRelease } from './release-facts.ts';

interface Known {
  install: Install;
  flags: InstallFlags;
  options: TemporalOptions;
}

/** Who waits longer for an answer has it elsewhere. */
const patienceMs = 5_000;

export async function readTemporal(scope: ClusterScope, known: Known): Promise<TemporalFacts> {
  const settings = temporalSettingsOf(known.options, process.env);
  const { namespace, address } = settings;
  const began = Date.now();
  try {
    const [connection, queue] = await Promise.all([
      connectTo(settings, { connectMs: patienceMs }),
      queueOf(scope, known),
    ]);
    try {
      const client = new Client({ connection, namespace, ...dataConverterOf(settings) });
      const other = await otherThan(known.flags, client);
      if (other) return { address, namespace, isOther: other };
      const served =
        queue === undefined ? {} : knownOf(await servedBy(client, queue), known.install);
      return { address, namespace, pollers: {}, ...served, tookMs: Date.now() - began };
    } finally {
      await connection.close();
    }
  } catch (error) {
    const failure = reasonOf(error);
    return { address, namespace, failure, ...(isRefusal(error) && { isRefused: true }) };
  }
}

/** Where the watcher has another database, even by the same names: what it knows is not ours. */
async function otherThan(
  { temporalNoted: own }: InstallFlags,
  client: Client,
): Promise<TemporalFacts['isOther']> {
  if (!own) return undefined;
  const { namespaceInfo } = await client.withDeadline(Date.now() + patienceMs, () =>
    client.workflowService.describeNamespace({ namespace: client.options.namespace }),
  );
  return isOtherThan(own, namespaceInfo?.id) ? own : undefined;
}

/** `NOT_FOUND` of the namespace, `PERMISSION_DENIED`, `UNAUTHENTICATED` of gRPC. */
const refusals = new Set<number>([5, 7, 16]);

function isRefusal(error: unknown): boolean {
  if (isGrpcServiceError(error)) return refusals.has(error.code);
  if (!(error instanceof Error)) return false;
  return error.name === 'NamespaceNotFoundError' || isRefusal(error.cause);
}

/** Of an install with one namespace; of all namespaces nothing is known of the installs. */
async function queueOf(
  { kube, namespace }: ClusterScope,
  { install, flags }: Known,
): Promise<string | undefined> {
  if (install.namespace === undefined && flags.name === '') return undefined;
  const cluster = await clusterIdOf(kube, flags);
  return cluster && taskQueueOf({ cluster, name: flags.name || namespace });
}

type Served = Pick<TemporalFacts, 'pollers' | 'release'>;

/**
 * Without the Deployment of a watcher, as of a fleet in another namespace, the name of the queue is
 * a guess. It is wrong where none polls it, and the watcher that leads sees a worker.
 */
export function knownOf(served: Served, { processes, leases = [] }: Install): Served {
  const isGuess = !processes.some(({ component }) => component === 'watcher');
  const isPolled = Object.values(served.pollers ?? {}).some((count) => count > 0);
  return isGuess && !isPolled && leases.some(seesWorker) ? {} : served;
}

async function servedBy(client: Client, queue: string): Promise<Served> {
  const now = Date.now();
  const release = await client.withDeadline(now + patienceMs, () =>
    readRelease(client, { queue, now }),
  );
  return { pollers: { [queue]: release.polling.length }, release };
}
