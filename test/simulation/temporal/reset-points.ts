/** Where a run can be reset to: each workflow task that was completed, as it was when it began. */
import { GrpcError } from './grpc-errors.ts';
import type { History } from './history.ts';
import { updateAdmitted } from './job-order.ts';
import type { News } from './job-order.ts';
import type { Payload } from './messages.ts';
import type { SavedActivity } from './pending-activity.ts';
import type { SavedUpdates, Updates } from './updates.ts';

export interface RunState {
  activities: readonly (readonly [number, SavedActivity])[];
  /** When each fires. */
  timers: readonly (readonly [number, number])[];
  searchAttributes: Record<string, Payload>;
  memo: Record<string, Payload>;
  updates: SavedUpdates;
  cancelRequested: boolean;
  /** How many requests had been carried out. */
  requests: number;
}

export interface ResetPoint extends RunState {
  /** Events before `WORKFLOW_TASK_COMPLETED`, and their bytes. */
  length: number;
  size: number;
  /** How many activations there were before. */
  activations: number;
  /** What the task brought. */
  news: readonly News[];
}

interface Run {
  history: History;
  points: readonly ResetPoint[];
  updates: Updates;
  /** What no task that was completed has brought. */
  undelivered: readonly News[];
}

/** By the id of a `WORKFLOW_TASK_COMPLETED`, or of the `WORKFLOW_TASK_STARTED` before it. */
export function pointAt({ history, points }: Run, eventId: number): ResetPoint {
  const found = points.find(({ length }) =>
    [length, length + 1].some((number) => history.idOf(number) === eventId),
  );
  if (found) return found;
  throw new GrpcError('INVALID_ARGUMENT', `event ${eventId} is no workflow task to reset to`);
}

/** What the history has of it before its next task. */
export function isInHistory({ event, job }: News): boolean {
  return !job?.doUpdate || event !== '';
}

/** What came after the point and is brought to the run that goes on from there. */
export function saidSince(run: Run, point: ResetPoint): News[] {
  const { points, undelivered } = run;
  const later = points.slice(points.indexOf(point) + 1).flatMap(({ news }) => news);
  const ofTask = point.news.filter((one) => !isInHistory(one));
  return [...ofTask, ...later, ...undelivered].filter((one) => isSaid(run, one)).map(again);
}

/** Of updates those that were accepted: the server's memory alone has the others. */
function isSaid({ updates }: Run, { event, job }: News): boolean {
  const { signalWorkflow, cancelWorkflow, doUpdate } = job ?? {};
  if (!doUpdate) return Boolean(signalWorkflow ?? cancelWorkflow);
  return event === updateAdmitted || updates.isAccepted(doUpdate.protocolInstanceId ?? '') === true;
}

function again({ event, job }: News): News {
  return { event: job?.doUpdate ? updateAdmitted : event, ...(job && { job }) };
}
