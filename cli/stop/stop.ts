/** Makes, shows and removes the ConfigMap that stops everything. */
import { isAlreadyExists, isNotFound } from '../../kube/client/errors.ts';
import type { StopObject } from '../../kube/objects/global-stop.ts';
import { stopName, stopOf } from '../../kube/objects/global-stop.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { namespaced } from '../../kube/client/paths.ts';
import { ownLeaseOf } from '../../kube/leases/lease-set.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterOptions, OutputOptions } from '../command-line/options.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { watcherHolding } from '../install/lease-holder.ts';
import { oneLine } from '../terminal/screen.ts';

export interface StopOptions extends ClusterOptions, OutputOptions {
  /** Undefined: only say whether everything is stopped. */
  reason?: string | undefined;
  by?: string | undefined;
}

/** A stop that stands already gets the new reason. */
export async function stop(scope: ClusterScope, { reason, by }: StopOptions): Promise<Answer> {
  if (reason === undefined) return await showStop(scope);
  const { kube, namespace } = scope;
  const data = { reason, by: by ?? null };
  const path = namespaced('configmaps', namespace, stopName);
  try {
    await kube.create(namespaced('configmaps', namespace), {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: stopName, namespace },
      data: { reason, ...(by !== undefined && { by }) },
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    await kube.patch(path, 'merge', { data });
  }
  const shown = await shownOrMade(scope);
  if (await mayBeServed(scope)) return shown;
  const text = `${shown.text}\nNo watcher of Millwright leads in ${namespace}. Where the machines are in another namespace, stop that one: -n NAMESPACE`;
  return { ...shown, text };
}

/** A stop that cannot be read, as without the right to, stands all the same. */
async function shownOrMade(scope: ClusterScope): Promise<Answer> {
  try {
    return await showStop(scope);
  } catch (error) {
    const { namespace } = scope;
    const text = [
      `${namespace} is stopped. Since when cannot be read: ${reasonOf(error)}`,
      `Go on with: millwright start -n ${namespace}`,
    ].join('\n');
    return { text, data: { namespace, isStopped: true } };
  }
}

/** By the Leases; true where they may not be read. A stop of the wrong namespace stops nothing. */
async function mayBeServed({ kube, namespace }: ClusterScope): Promise<boolean> {
  try {
    return (await watcherHolding(kube, namespace, ownLeaseOf(namespace))) !== undefined;
  } catch {
    return true;
  }
}

export async function showStop({ kube, namespace }: ClusterScope): Promise<Answer> {
  const path = namespaced('configmaps', namespace, stopName);
  const object = await ignoreNotFound(kube.get<StopObject>(path));
  const data = { namespace, isStopped: object !== undefined, ...(object && factsOf(object)) };
  if (!object) return { text: `${namespace} is not stopped.`, data };
  const { reason, by, since } = factsOf(object);
  const author = by === undefined ? '' : ` by ${oneLine(by)}`;
  const text = [
    `${namespace} is stopped since ${since}${author}: ${oneLine(reason)}`,
    `Go on with: millwright start -n ${namespace}`,
  ].join('\n');
  return { text, data };
}

function factsOf(object: StopObject) {
  const { reason, by, since } = stopOf(object);
  return { reason, ...(by !== undefined && { by }), since: new Date(since).toISOString() };
}

export async function start({ kube, namespace }: ClusterScope): Promise<Answer> {
  const wasStopped = await remove({ kube, namespace });
  const text = wasStopped ? `${namespace} goes on.` : `${namespace} was not stopped.`;
  return { text, data: { namespace, isStopped: false, wasStopped } };
}

async function remove({ kube, namespace }: ClusterScope): Promise<boolean> {
  try {
    await kube.delete(namespaced('configmaps', namespace, stopName));
    return true;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return false;
  }
}
