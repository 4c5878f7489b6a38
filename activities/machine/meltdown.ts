/** Most machines went silent at once: an outage, which is not cured by replacing them. */
import { hasJoined } from '../../workflows/api/phases.ts';
import { isDeleting } from './object.ts';
import { labels } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { isMeltdown } from '../../workflows/plan/machine/health.ts';
import type { KubeObject } from '../../kube/client/client.ts';
import { customResource, node as nodePath } from '../../kube/client/paths.ts';
import { SharedLists } from '../../kube/cache/shared-lists.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';
import type { ReplacementHold } from '../runtime/memory.ts';
import { phaseOf } from './prepared.ts';
import { monotonicMs } from '../system/system.ts';

type NamespaceDependencies = Pick<ActivityDependencies, 'control' | 'namespace'>;

const machines = new SharedLists<Machine>();
const nodeNames = new SharedLists<KubeObject>({ as: 'PartialObjectMetadata' });

/**
 * All Machines of a namespace, by a list that begins after the call; callers share it, so it is
 * only read.
 */
export async function listMachines({
  control,
  namespace,
}: NamespaceDependencies): Promise<readonly Machine[]> {
  return (await machines.list(control, customResource('machines', namespace))).items;
}

/** So long an answer that keeps a machine from being replaced may be used for others. */
export const recentMs = 5_000;

/** At most some seconds old, as in an outage every machine asks each minute. */
export async function recentMeltdown({
  memory,
  ...place
}: NamespaceDependencies & Pick<ActivityDependencies, 'memory'>): Promise<
  ReplacementHold | undefined
> {
  const known = memory.meltdown;
  if (known && monotonicMs() - known.at < recentMs) return await known.answer;
  const answer = checkMeltdown(place);
  memory.meltdown = { at: monotonicMs(), answer };
  try {
    return await answer;
  } catch (error) {
    delete memory.meltdown;
    throw error;
  }
}

async function checkMeltdown(place: NamespaceDependencies): Promise<ReplacementHold | undefined> {
  return meltdownAmong(await listMachines(place));
}

/** Undefined when there is none. `all`: those of the namespace. */
export function meltdownAmong(all: readonly Machine[]): ReplacementHold | undefined {
  const joined = all.filter(isUp);
  const unknown = joined.filter((machine) => phaseOf(machine) === 'Unknown').length;
  if (!isMeltdown({ unknown, joined: joined.length })) return undefined;
  const reason = `${unknown} of ${joined.length} machines are Unknown at once: the clock stands still, as this looks like an outage; delete the machines that are really lost`;
  return { reason, isMeltdown: true };
}

/** Most Machines lost their Nodes at once. */
export async function isMassDisappearance({
  control,
  target,
  namespace,
}: NamespaceDependencies & Pick<ActivityDependencies, 'target'>): Promise<boolean> {
  if (!target) return true;
  const joined = (await listMachines({ control, namespace })).filter(isUp);
  const { items: nodes } = await nodeNames.list(target, nodePath());
  const present = new Set(nodes.map(({ metadata }) => metadata.name));
  const lost = joined.filter(({ metadata }) => !present.has(metadata.labels?.[labels.node] ?? ''));
  return isMeltdown({ unknown: lost.length, joined: joined.length });
}

function isUp(machine: Machine): boolean {
  return hasJoined(phaseOf(machine)) && !isDeleting(machine);
}
