/** The instances of Machines that are to be taken over. */
import type { KubeClient } from '../../kube/client/client.ts';
import { node as nodePath } from '../../kube/client/paths.ts';
import { readNode, type Node } from '../../kube/objects/nodes.ts';
import type { KubermaticMachine } from '../../workflows/api/kubermatic.ts';
import { front } from '../../workflows/api/kubermatic-names.ts';
import { isMirror, type PoolFacts } from '../../workflows/plan/front/facts.ts';
import { templateOf } from '../../workflows/plan/front/take-over.ts';
import { instancesOf } from './instance-of.ts';
import { mostSingleReads, type BothSides } from './read.ts';

/** By the name of the Machine. Reads Nodes only where a take-over is asked for. */
export async function findInstances(
  target: KubeClient | undefined,
  { theirs }: Pick<BothSides, 'theirs'>,
  templates: PoolFacts['templates'],
): Promise<PoolFacts['providerIDs']> {
  if (theirs.deployment.metadata.annotations?.[front.takeOver] !== 'true') return new Map();
  const machines = theirs.machines.filter((one) => !isMirror(one));
  const nodes = target ? await nodesOf(target, machines) : new Map<string, Node>();
  return new Map(
    theirs.sets.flatMap((set) =>
      instancesOf(set, templateOf(set, templates)?.made, { machines, nodes }).map(
        ({ machine, found }) => [machine.metadata.name, found] as const,
      ),
    ),
  );
}

async function nodesOf(
  target: KubeClient,
  machines: readonly KubermaticMachine[],
): Promise<Map<string, Node>> {
  const names = machines.flatMap(({ status }) => status?.nodeRef?.name ?? []);
  const nodes =
    names.length > mostSingleReads
      ? (await target.list<Node>(nodePath())).items
      : await Promise.all(names.map((name) => readNode(target, name)));
  return new Map(nodes.flatMap((one) => (one ? [[one.metadata.name, one]] : [])));
}
