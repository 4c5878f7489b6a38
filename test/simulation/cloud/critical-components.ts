/**
 * Gardener's controller of critical components: it takes its taint off a Node when the pods that
 * every Node needs are ready there.
 */
import { node as nodePath } from '../../../kube/client/paths.ts';
import { taints as keys } from '../../../workflows/api/constants.ts';
import { patchObject } from '../controllers/writes.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Cluster } from '../world/kube-client.ts';
import { namedChance } from '../world/named-chance.ts';
import { readNode } from './node-status.ts';
import type { NodeObject } from './node.ts';

const longestMs = 40_000;
const retryMs = 10_000;

/** Draws and does nothing where no Node has the taint. */
export function releaseNodes(simulation: Simulation, cluster: Cluster): void {
  const chance = namedChance(simulation.seed, `critical components of ${cluster.name}`);
  const waiting = new Set<string>();
  const look = (name: string): void => {
    const node = readNode(cluster, name);
    if (!node || !isTainted(node) || waiting.has(name)) return;
    waiting.add(name);
    simulation.after(chance.between(1_000, longestMs), () => release(name));
  };
  const release = (name: string): void => {
    const node = readNode(cluster, name);
    if (!node || !isTainted(node)) waiting.delete(name);
    else if (!cluster.isUp || !isReady(node) || !untaint(cluster, node)) {
      simulation.after(retryMs, () => release(name));
    } else waiting.delete(name);
  };
  cluster.server.store.listen(({ after }) => {
    if (after?.target.resource.kind === 'Node') look(after.target.name);
  });
}

function isTainted({ spec }: NodeObject): boolean {
  return spec?.taints?.some(({ key }) => key === keys.criticalComponentsNotReady) ?? false;
}

function isReady({ status }: NodeObject): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: value }) => type === 'Ready' && value === 'True',
  );
}

function untaint({ server }: Cluster, { metadata, spec }: NodeObject): boolean {
  const { name = '', uid = '', resourceVersion } = metadata ?? {};
  const taints = spec?.taints?.filter(({ key }) => key !== keys.criticalComponentsNotReady);
  return patchObject(
    server,
    { path: nodePath(name), uid },
    { metadata: { resourceVersion }, spec: { taints } },
  );
}
