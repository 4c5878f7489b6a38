import type { KubeClient, KubeObject, Query } from '../../../../kube/client/client.ts';
import { backOff } from '../kube-client.ts';

export interface Follower<T extends KubeObject> {
  /** All that there is: what was there before and is not among these is gone. */
  list(objects: T[]): void;
  change(object: T): void;
  remove(object: T): void;
}

export interface Followed<T extends KubeObject> {
  path: string;
  query?: Query;
  follower: Follower<T>;
  /** Hears of the first of several failures in a row. */
  onError: (error: unknown) => void;
  signal: AbortSignal;
}

/**
 * Lists and watches until `signal`; lists again after each failure, and after an outage. Keeps no
 * objects, as a `Reflector` would.
 */
export async function follow<T extends KubeObject>(
  client: KubeClient,
  followed: Followed<T>,
): Promise<void> {
  const { path, query, follower, onError, signal } = followed;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const { metadata, items } = await client.list<T>(path, query);
      follower.list(items);
      failures = 0;
      let version = metadata.resourceVersion;
      for (;;) version = await watch(client, followed, version);
    } catch (error) {
      failures += 1;
      if (failures === 1 && !signal.aborted) onError(error);
      await backOff(failures, signal).catch(() => undefined);
    }
  }
}

/** A server ends each watch after a while. Returns the version that the next one begins at. */
async function watch<T extends KubeObject>(
  client: KubeClient,
  { path, query, follower, signal }: Followed<T>,
  since: string,
): Promise<string> {
  let version = since;
  for await (const event of client.watch<T>(path, { ...query, resourceVersion: since }, signal)) {
    if (event.type === 'DELETED') follower.remove(event.object);
    else if (event.type !== 'BOOKMARK') follower.change(event.object);
    version = event.object.metadata.resourceVersion;
  }
  return version;
}
