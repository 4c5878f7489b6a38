/** A changed child concerns what controls it: a Machine its set, a set its deployment. */
import type { Change } from '../../kube/cache/object-cache.ts';
import { versionAt } from './context.ts';
import type { DispatchContext } from './context.ts';
import { matches } from '../../workflows/api/selector.ts';
import type { Signal } from './signal.ts';
import type { SignalName } from '../../workflows/contracts/messages.ts';
import type { MachineView, Resource } from '../cache/views.ts';

/** Fields that Machines and MachineSets have in common. */
type Child = Pick<
  MachineView,
  'uid' | 'name' | 'resourceVersion' | 'owner' | 'isOrphan' | 'labels' | 'countDigest'
>;

export interface Ownership {
  /** Resource of the child. */
  resource: Resource;
  owners: 'machineSets' | 'machineDeployments';
  kind: 'machineSet' | 'machineDeployment';
  signal: SignalName & `${string}Changed`;
}

/**
 * To the owner that it has, the owner that it had, and for an orphan to all that could claim it.
 */
export function ownerSignals(
  { type, object, previous, resourceVersion }: Change<Child>,
  { resource, owners, kind, signal }: Ownership,
  context: DispatchContext,
): Signal[] {
  if (type === 'live' && previous?.countDigest === object.countDigest) return [];
  const concerned = new Set(
    [object, ...(previous ? [previous] : [])].flatMap((child) => ownersOf(child, owners, context)),
  );
  return [...concerned].map((owner) => ({
    kind,
    object: owner,
    name: signal,
    payload: versionAt(context, resourceVersion),
    cause: { resource, resourceVersion },
  }));
}

function ownersOf(child: Child, owners: Ownership['owners'], { store }: DispatchContext): string[] {
  if (child.owner !== undefined) return [child.owner];
  if (!child.isOrphan) return [];
  return [...store.all(owners)]
    .filter(({ selector }) => matches(selector, child.labels))
    .map(({ name }) => name);
}
