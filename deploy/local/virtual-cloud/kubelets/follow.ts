import type { KubeApi, KubeObject } from '../kube-api.ts';
import { backOff } from '../kube-persistence.ts';

export interface Follower {
  /** All that there is: what was there before and is not among these is gone. */
  list(objects: KubeObject[]): void;
  change(object: KubeObject): void;
  remove(object: KubeObject): void;
}

interface WatchEvent {
  type: string;
  object: KubeObject;
}

export interface Followed {
  /** Path of a list; may have a query. */
  path: string;
  follower: Follower;
  /** Hears of the first of several failures in a row. */
  onError: (error: unknown) => void;
  signal: AbortSignal;
}

/** Lists and watches until `signal`; lists again after each failure, and after an outage. */
export async function follow(api: KubeApi, followed: Followed): Promise<void> {
  const { onError, signal } = followed;
  let failures = 0;
  while (!signal.aborted) {
    try {
      let version = await list(api, followed);
      failures = 0;
      for (;;) version = await watch(api, followed, version);
    } catch (error) {
      failures += 1;
      if (failures === 1 && !signal.aborted) onError(error);
      await backOff(failures, signal).catch(() => undefined);
    }
  }
}

async function list(api: KubeApi, { path, follower }: Followed): Promise<string> {
  const { status, body } = await api.call({ method: 'GET', path });
  if (status !== 200) throw new Error(`${status} ${body.message}`);
  follower.list(body.items ?? []);
  return body.metadata?.resourceVersion ?? '';
}

/** A server ends each watch after a while. Returns the version that the next one begins at. */
async function watch(
  api: KubeApi,
  { path, follower, signal }: Followed,
  since: string,
): Promise<string> {
  const query = `watch=1&allowWatchBookmarks=true&resourceVersion=${since}`;
  let version = since;
  for await (const line of api.lines(`${path}${path.includes('?') ? '&' : '?'}${query}`, signal)) {
    const { type, object }: WatchEvent = JSON.parse(line);
    if (type === 'ERROR') throw new Error(line);
    if (type === 'DELETED') follower.remove(object);
    else if (type !== 'BOOKMARK') follower.change(object);
    version = object.metadata.resourceVersion;
  }
  return version;
}
