/** `millwright command`: writes a command on an object, with the rights of the caller. */
import { setTimeout } from 'node:timers/promises';
import type { KubeObject } from '../../activities/kube/client/client.ts';
import { isNotFound } from '../../activities/kube/client/errors.ts';
import { customResource } from '../../activities/kube/client/paths.ts';
import { annotations } from '../../workflows/api/constants.ts';
import type { Answer } from '../answer.ts';
import type { CommandQuestion } from './command.ts';
import { signed } from './command.ts';
import type { Place } from '../connect.ts';

/** A watcher and a worker need a second or two. */
const takenWithinMs = 20_000;

interface Review {
  status?: { userInfo?: { username?: string } };
}

/** Waits until a worker has taken the command off the object again. */
export async function write(place: Place, asked: CommandQuestion): Promise<Answer> {
  const { kube, namespace } = place;
  const { resource, name } = asked;
  const path = customResource(resource, namespace, name);
  const written = signed(asked.text, asked.by ?? (await callerOf(place)));
  try {
    const metadata = { annotations: { [annotations.command]: written } };
    await kube.patch(path, 'merge', { metadata });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new Error(`there is no ${resource}/${name} in namespace ${namespace}`, { cause: error });
  }
  const isTaken = await untilTaken(place, path, written);
  const data = { resource, namespace, name, written, isTaken };
  const what = `"${written}" on ${resource}/${name}`;
  if (!isTaken) return { data, text: `${what} is written; no worker has taken it yet` };
  const text = `${what} was taken; its Events say what came of it: kubectl -n ${namespace} events --for ${resource}/${name}`;
  return { data, text };
}

/** As the API server knows the caller, who may lack the right to ask for that. */
async function callerOf({ kube }: Place): Promise<string | undefined> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  try {
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const { status } = await kube.create<Review>(path, body);
    const name = status?.userInfo?.username;
    return name !== undefined && /^\S{1,200}$/.test(name) ? name : undefined;
  } catch {
    return undefined;
  }
}

async function untilTaken({ kube }: Place, path: string, written: string): Promise<boolean> {
  const deadline = performance.now() + takenWithinMs;
  for (;;) {
    const found = await orGone(kube.get<KubeObject>(path));
    if (found?.metadata.annotations?.[annotations.command] !== written) return true;
    if (performance.now() > deadline) return false;
    await setTimeout(250);
  }
}

async function orGone<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
