/** Makes, shows and removes the ConfigMap that stops everything. They return what to print. */
import { isAlreadyExists, isNotFound } from '../activities/kube/client/errors.ts';
import type { StopObject } from '../activities/kube/objects/global-stop.ts';
import { stopName, stopOf } from '../activities/kube/objects/global-stop.ts';
import { ignoreNotFound } from '../activities/kube/client/ignore.ts';
import { namespaced } from '../activities/kube/client/paths.ts';
import type { Place } from './connect.ts';

interface Format {
  isJson: boolean;
}

/** One that stands already gets the new reason. */
export async function stop(
  place: Place,
  { reason, by, isJson }: Format & { reason: string; by: string | undefined },
): Promise<string> {
  const { kube, namespace } = place;
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
  return await showStop(place, { isJson });
}

export async function showStop({ kube, namespace }: Place, { isJson }: Format): Promise<string> {
  const path = namespaced('configmaps', namespace, stopName);
  const object = await ignoreNotFound(kube.get<StopObject>(path));
  const facts = { namespace, isStopped: object !== undefined, ...(object && factsOf(object)) };
  if (isJson) return JSON.stringify(facts, undefined, 2);
  if (!object) return `${namespace} is not stopped.`;
  const { reason, by, since } = factsOf(object);
  const author = by === undefined ? '' : ` by ${by}`;
  return [
    `${namespace} is stopped since ${since}${author}: ${reason}`,
    `Go on with: millwright resume -n ${namespace}`,
  ].join('\n');
}

function factsOf(object: StopObject) {
  const { reason, by, since } = stopOf(object);
  return { reason, ...(by !== undefined && { by }), since: new Date(since).toISOString() };
}

export async function resume({ kube, namespace }: Place, { isJson }: Format): Promise<string> {
  const wasStopped = await remove({ kube, namespace });
  if (isJson) return JSON.stringify({ namespace, isStopped: false, wasStopped }, undefined, 2);
  return wasStopped ? `${namespace} goes on.` : `${namespace} was not stopped.`;
}

async function remove({ kube, namespace }: Place): Promise<boolean> {
  try {
    await kube.delete(namespaced('configmaps', namespace, stopName));
    return true;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return false;
  }
}
