/** Plays the kubelets of all Nodes that ask for one: ../node-object.ts has the annotations. */
import type { KubeClient, KubeObject } from '../../../../kube/client/client.ts';
import { isConflict, isNotFound, KubeError } from '../../../../kube/client/errors.ts';
import { node as nodePath } from '../../../../kube/client/paths.ts';
import { isPassing } from '../kube-client.ts';
import { Agenda } from './agenda.ts';
import { follow, type Followed } from './follow.ts';
import type { KubeletParts } from './parts.ts';
import { PlayedNodes } from './played-nodes.ts';
import { PlayedPods } from './played-pods.ts';

/** Returns what ends it. */
export function playKubelets(client: KubeClient, log: (message: string) => void): () => void {
  const ending = new AbortController();
  const agenda = new Agenda();
  const parts: KubeletParts = { agenda, client, attempt: (write) => attempt(write, log) };
  const pods: PlayedPods = new PlayedPods(parts, (name) => nodes.addressOf(name));
  const nodes = new PlayedNodes(parts, (name) => pods.resume(name));
  const begin = <T extends KubeObject>(
    followed: Pick<Followed<T>, 'path' | 'query' | 'follower'>,
  ): void => {
    const onError = (error: unknown): void => log(`watch of ${followed.path}: ${String(error)}`);
    void follow(client, { ...followed, onError, signal: ending.signal });
  };
  begin({ path: nodePath(), follower: nodes });
  begin({ path: '/api/v1/pods', query: { fieldSelector: 'spec.nodeName!=' }, follower: pods });
  return () => {
    ending.abort();
    agenda.close();
  };
}

async function attempt(write: Promise<unknown>, log: (message: string) => void): Promise<void> {
  try {
    await write;
  } catch (error) {
    // It is gone, or has changed: the watch delivers that.
    if (isNotFound(error) || isConflict(error)) return;
    if (!(error instanceof KubeError) || isPassing(error)) throw error;
    log(error.message);
  }
}
