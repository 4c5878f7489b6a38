/**
 * Marks Nodes that no Machine knows of: one LIST of Nodes, one of Machines, and a write for each
 * Node that changes.
 */
import type {
  UnmanagedNodesCheck,
  UnmanagedNodesReport,
} from '../../workflows/contracts/safety-activities.ts';
import { annotations, finalizers, labels } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { defined } from '../../workflows/values/defined.ts';
import type { MachineFact, NodeFact } from '../../workflows/plan/safety/unmanaged-nodes.ts';
import type { UnmanagedNodesPlan } from '../../workflows/plan/safety/unmanaged-nodes.ts';
import { planUnmanagedNodes } from '../../workflows/plan/safety/unmanaged-nodes.ts';
import { inParallel } from '../runtime/parallel.ts';
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import { isInvalid, isRejectedWrite } from '../../kube/client/errors.ts';
import {
  isContentRefused,
  isOutdated,
  pointerTo,
  replacing,
} from '../../kube/objects/json-patch.ts';
import { customResource, node as nodePath } from '../../kube/client/paths.ts';
import { preparedOf, wasNodeSeen } from '../machine/prepared.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';
import { nowMs } from '../system/system.ts';

/** The report stands in a history. */
const namesMax = 100;
const refusedMax = 20;
const messageMax = 300;
const parallelWrites = 10;

type UnmanagedNodesDependencies = Pick<
  ActivityDependencies,
  'control' | 'target' | 'targetCluster' | 'defaults'
>;

export interface UnmanagedNodesFinding {
  nodes: readonly KubeObject[];
  plan: UnmanagedNodesPlan;
}

/** Writes nothing. Undefined without a target cluster, or in one that the Machines did not join. */
export async function findUnmanagedNodes(
  dependencies: UnmanagedNodesDependencies,
  { namespace, creationTimeoutSeconds, selector }: UnmanagedNodesCheck,
): Promise<UnmanagedNodesFinding | undefined> {
  const { control, target } = dependencies;
  if (!target) return undefined;
  // Before the Machines: a Node is there before its Machine knows of it.
  const { items: nodes } = await target.list<KubeObject>(nodePath(), {
    as: 'PartialObjectMetadata',
    labelSelector: selector,
  });
  const machines = await control.list<Machine>(customResource('machines', namespace));
  if (haveJoinedAnother(machines.items, dependencies)) return undefined;
  const plan = planUnmanagedNodes({
    nodes: nodes.map((node) => nodeFact(node, namespace)),
    machines: machines.items.map((machine) => machineFact(machine, dependencies)),
    creationTimeoutSeconds,
    now: nowMs(),
  });
  return { nodes, plan };
}

/**
 * With the kubeconfig of another cluster none of its Nodes has a Machine here. A Machine that waits
 * for its Node names the cluster that its worker saw, which proves nothing.
 */
function haveJoinedAnother(
  machines: readonly Machine[],
  { targetCluster }: Pick<ActivityDependencies, 'targetCluster'>,
): boolean {
  const joined = machines
    .filter(wasNodeSeen)
    .flatMap(({ metadata }) => metadata.annotations?.[annotations.targetCluster] ?? []);
  return targetCluster !== undefined && joined.length > 0 && !joined.includes(targetCluster);
}

export async function markUnmanagedNodes(
  dependencies: UnmanagedNodesDependencies,
  check: UnmanagedNodesCheck,
): Promise<UnmanagedNodesReport> {
  const { target } = dependencies;
  const found = await findUnmanagedNodes(dependencies, check);
  if (!target || !found) return { nodes: 0, unmanaged: 0, marked: [], cleared: [], postponed: 0 };
  const { nodes, plan } = found;
  const named = (names: readonly string[]): KubeObject[] =>
    nodes.filter(({ metadata }) => names.includes(metadata.name));
  const marked = await writeEach(target, named(plan.mark), marking);
  const cleared = await writeEach(target, named(plan.clear), clearing);
  const refused = [...marked.refused, ...cleared.refused];
  const done = marked.written.length + cleared.written.length + refused.length;
  return {
    nodes: nodes.length,
    unmanaged: plan.unmanaged,
    marked: marked.written.slice(0, namesMax),
    cleared: cleared.written.slice(0, namesMax),
    ...(refused.length > 0 && { refused: refused.slice(0, refusedMax) }),
    postponed: plan.mark.length + plan.clear.length - done,
  };
}

function nodeFact({ metadata }: KubeObject, namespace: string): NodeFact {
  const said = metadata.annotations?.[annotations.nodeMachineNamespace] ?? namespace;
  return defined({
    name: metadata.name,
    createdAt: Date.parse(metadata.creationTimestamp),
    isMarked: metadata.annotations?.[annotations.notManaged] !== undefined,
    hasFinalizer: metadata.finalizers?.includes(finalizers.node) ?? false,
    machineName: metadata.labels?.[labels.machineName],
    isOfOthers: said === namespace ? undefined : true,
  });
}

function machineFact(
  machine: Machine,
  dependencies: Pick<ActivityDependencies, 'defaults'>,
): MachineFact {
  const { nodeName, limits } = preparedOf(machine, dependencies);
  const { creationTimeoutSeconds } = limits;
  return defined({ name: machine.metadata.name, nodeName, creationTimeoutSeconds });
}

type PatchOf = (node: KubeObject) => object[];

interface Written {
  /** Names of the Nodes that took it. */
  written: string[];
  refused: NonNullable<UnmanagedNodesReport['refused']>;
}

/** The others changed or went meanwhile. A refused write keeps none of them from theirs. */
async function writeEach(
  target: KubeClient,
  nodes: readonly KubeObject[],
  patchOf: PatchOf,
): Promise<Written> {
  const written: string[] = [];
  const refused: Written['refused'] = [];
  await inParallel(nodes, parallelWrites, async (node) => {
    const { name, uid } = node.metadata;
    const isSameNode = { op: 'test', path: '/metadata/uid', value: uid };
    try {
      await target.patch(nodePath(name), 'json', [isSameNode, ...patchOf(node)]);
      written.push(name);
    } catch (error) {
      const message = refusalIn(error)?.slice(0, messageMax);
      if (message !== undefined) refused.push({ node: name, message });
      else if (!isOutdated(error)) throw error;
    }
  });
  return { written: written.toSorted(), refused };
}

/** A rule or a webhook says no, however often it is asked. */
function refusalIn(error: unknown): string | undefined {
  if (!isRejectedWrite(error)) return undefined;
  // A test of the patch did not hold.
  return isInvalid(error) && !isContentRefused(error) ? undefined : error.message;
}

const markPath = pointerTo('/metadata/annotations', annotations.notManaged);

function marking({ metadata }: KubeObject): object[] {
  const { annotations: notes, finalizers: present } = metadata;
  const kept = present?.filter((finalizer) => finalizer !== finalizers.node);
  return [
    ...(notes === undefined ? replacing('/metadata/annotations', undefined, {}) : []),
    { op: 'add', path: markPath, value: '1' },
    ...(kept?.length === present?.length ? [] : replacing('/metadata/finalizers', present, kept)),
  ];
}

/**
 * It gets our finalizer back, which went with the mark, unless it goes itself, or no Machine has
 * ever joined by it: anyone who may write Machines may name it.
 */
function clearing({ metadata }: KubeObject): object[] {
  const { finalizers: present = [], deletionTimestamp, labels: names = {} } = metadata;
  const isOurs = names[labels.machineName] !== undefined;
  const isComplete =
    !isOurs || present.includes(finalizers.node) || deletionTimestamp !== undefined;
  const all = [...present, finalizers.node];
  return [
    { op: 'remove', path: markPath },
    ...(isComplete ? [] : replacing('/metadata/finalizers', metadata.finalizers, all)),
  ];
}
