/** Plays the kubelets of all Nodes that ask for one: node-object.ts has the annotations. */
import type { KubeAnswer, KubeApi, KubeCall } from '../kube-api.ts';
import { isMeant } from '../kube-persistence.ts';
import { Agenda } from './agenda.ts';
import { follow, type Follower } from './follow.ts';
import type { KubeletParts } from './parts.ts';
import { PlayedNodes } from './played-nodes.ts';
import { PlayedPods } from './played-pods.ts';

/** Returns what ends it. */
export function playKubelets(api: KubeApi, log: (message: string) => void): () => void {
  const ending = new AbortController();
  const agenda = new Agenda();
  const parts: KubeletParts = { agenda, call: (request) => callOnce(api, request, log) };
  const pods: PlayedPods = new PlayedPods(parts, (name) => nodes.addressOf(name));
  const nodes = new PlayedNodes(parts, (name) => pods.resume(name));
  const begin = (path: string, follower: Follower): void => {
    const onError = (error: unknown): void => log(`watch of ${path}: ${String(error)}`);
    void follow(api, { path, follower, onError, signal: ending.signal });
  };
  begin('/api/v1/nodes', nodes);
  begin('/api/v1/pods?fieldSelector=spec.nodeName!%3D', pods);
  return () => {
    ending.abort();
    agenda.close();
  };
}

async function callOnce(
  api: KubeApi,
  request: KubeCall,
  log: (message: string) => void,
): Promise<KubeAnswer> {
  const answer = await api.call(request);
  const { status, body } = answer;
  const said = `${request.method} ${request.path}: ${status} ${body.message}`;
  if (!isMeant(answer)) throw new Error(said);
  // It is gone, or has changed: the watch delivers that.
  if (status >= 400 && status !== 404 && status !== 409) log(said);
  return answer;
}
