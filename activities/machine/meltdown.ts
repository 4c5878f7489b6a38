/** Most machines went silent at once: an outage, which is not cured by replacing them. */
import { labels } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { isMeltdown } from '../../workflows/plan/health.ts';
import type { KubeClient, KubeObject } from '../kube/client.ts';
import { customResource, node as nodePath } from '../kube/paths.ts';
import type { World } from '../world.ts';
import { phaseOf } from './object.ts';

/** Why a machine that is past its health timeout is not replaced now. */
export interface Hold {
  reason: string;
  isMeltdown: boolean;
}

type Place = Pick<World, 'control' | 'namespace'>;

const recentMs = 5_000;
const recentLooks = new WeakMap<KubeClient, { at: number; answer: Promise<Hold | undefined> }>();

/** At most some seconds old, as in an outage every machine asks each minute. */
export async function recentMeltdown({ control, namespace }: Place): Promise<Hold | undefined> {
  const known = recentLooks.get(control);
  if (known && performance.now() - known.at < recentMs) return await known.answer;
  const answer = lookForMeltdown({ control, namespace });
  recentLooks.set(control, { at: performance.now(), answer });
  try {
    return await answer;
  } catch (error) {
    recentLooks.delete(control);
    throw error;
  }
}

async function lookForMeltdown({ control, namespace }: Place): Promise<Hold | undefined> {
  const { items } = await control.list<Machine>(customResource('machines', namespace));
  return meltdownAmong(items);
}

/** Undefined when there is none. `machines`: all of the namespace. */
export function meltdownAmong(machines: readonly Machine[]): Hold | undefined {
  const joined = machines.filter(hasJoined);
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
}: Place & Pick<World, 'target'>): Promise<boolean> {
  if (!target) return true;
  const { items } = await control.list<Machine>(customResource('machines', namespace));
  const nodes = await target.list<KubeObject>(nodePath());
  const present = new Set(nodes.items.map(({ metadata }) => metadata.name));
  const joined = items.filter(hasJoined);
  const lost = joined.filter(({ metadata }) => !present.has(metadata.labels?.[labels.node] ?? ''));
  return isMeltdown({ unknown: lost.length, joined: joined.length });
}

function hasJoined(machine: Machine): boolean {
  const phase = phaseOf(machine);
  const isUp = phase === 'Running' || phase === 'Unknown';
  return isUp && machine.metadata.deletionTimestamp === undefined;
}
