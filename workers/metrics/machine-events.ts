/**
 * Events in the existence of a Machine, by how it changed. Only a state that was seen before and
 * after counts, so that a leader that begins counts nothing that an earlier one has counted.
 */
import type { Change } from '../../kube/cache/object-cache.ts';
import type { MachineView } from '../../watcher/cache/views.ts';

export type MachineEvent =
  /** The instance is there; since the creation of the Machine. */
  | { event: 'launched'; seconds: number }
  /** Running for the first time; since the creation of the Machine. */
  | { event: 'running'; seconds: number }
  /** The same, since the instance was there. */
  | { event: 'joined'; seconds: number }
  /** The Machine is gone; since it was deleted. */
  | { event: 'deleted'; seconds: number }
  /** Failed, as no Node joined in time. */
  | { event: 'failedJoin' }
  /** Was Failed and is being deleted. */
  | { event: 'stale' };

/** `now`: milliseconds since 1970. */
export function machineEventsOf(change: Change<MachineView>, now: number): MachineEvent[] {
  const { type, object, previous } = change;
  if (previous === undefined) return [];
  if (type === 'gone') return deletion(object, now);
  return [...creation(previous, object, now), ...failures(previous, object)];
}

function deletion({ figures: { deletedAt } }: MachineView, now: number): MachineEvent[] {
  return deletedAt === undefined ? [] : [{ event: 'deleted', seconds: since(deletedAt, now) }];
}

function creation(previous: MachineView, object: MachineView, now: number): MachineEvent[] {
  const events: MachineEvent[] = [];
  if (object.isDeleting) return events;
  const seconds = since(object.createdAt, now);
  if (previous.figures.providerID === '' && object.figures.providerID !== '')
    events.push({ event: 'launched', seconds });
  if (!isBeforeRunning(previous) || object.phase !== 'Running') return events;
  events.push({ event: 'running', seconds });
  const { phaseSince } = previous.figures;
  if (previous.phase === 'Pending' && phaseSince !== undefined)
    events.push({ event: 'joined', seconds: since(phaseSince, now) });
  return events;
}

function failures(previous: MachineView, object: MachineView): MachineEvent[] {
  const isTimedOut = object.figures.isCreationTimedOut && !previous.figures.isCreationTimedOut;
  const isStale = previous.phase === 'Failed' && object.isDeleting && !previous.isDeleting;
  return [
    ...(isTimedOut ? [{ event: 'failedJoin' as const }] : []),
    ...(isStale ? [{ event: 'stale' as const }] : []),
  ];
}

/** Not Unknown: it was Running before. */
function isBeforeRunning({ phase }: MachineView): boolean {
  return phase === '' || phase === 'Pending' || phase === 'CrashLoopBackOff';
}

/** The clock that wrote `then` is another one, and writes whole seconds. */
function since(then: number, now: number): number {
  return Math.max((now - then) / 1_000, 0);
}
