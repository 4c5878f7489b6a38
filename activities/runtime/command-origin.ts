/** Origin of a command that came through Temporal, by the history of its run. */
import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { isGrpcServiceError } from '@temporalio/client';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { optionalTsToMs } from '@temporalio/common/lib/time.js';
import type { KubeClient } from '../../kube/client/client.ts';
import { defined } from '../../workflows/values/defined.ts';
import type { RequestedCommand } from './written-commands.ts';
import { commandRefusal, refusing } from './written-commands.ts';

type Event = NonNullable<History['events']>[number];

/** `WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW`, `UPDATE_ADMITTED_EVENT_ORIGIN_REAPPLY`. */
const [resetWorkflow, reapplied] = [20, 1];

interface CommandOrigin {
  /** Identity of the client that sent the signal; the history has that of an update only later. */
  identity?: string;
  /**
   * The server has brought it once more: the run was reset since it was asked for, or two clusters
   * of Temporal have merged their histories.
   */
  isRepeated: boolean;
  /** The oldest signal of its name that is not done yet, milliseconds. */
  sentAt?: number;
}

interface HeardVerb {
  verb: string;
  /** Length of the history then; absent in the input of a run of an earlier version. */
  heardAt: number | undefined;
}

interface HeardCommand extends RequestedCommand {
  heardAt: number | undefined;
  /** Time of the workflow, milliseconds; absent in the input of a run of an earlier version. */
  now: number | undefined;
}

const repeated =
  'it was asked for before the run was reset, and may have been done: ask again if it is still wanted';

/** The sender of a signal then acts elsewhere by now, and may have found another way. */
const longestWaitMs = 120_000;

const waited =
  'no worker could do it within two minutes: ask again if it is still wanted, with ifGeneration if it may wait';

/**
 * A command is an act, and all else a level: what the server brings once more is not done again,
 * nor what waited for long, unless it says of which generation of the object. Throws a
 * `commandRefusal`; else returns who sent it, where that is known.
 */
export async function requireNew(
  control: KubeClient,
  { heardAt, now = 0, ...asked }: HeardCommand,
): Promise<Pick<CommandOrigin, 'identity'>> {
  const { command, written } = asked;
  // It is done by the write that takes it off the object.
  if (written !== undefined) return {};
  const origin = await originOf({ verb: command.verb, heardAt });
  if (origin.isRepeated) throw refusing(control, asked, repeated);
  const { sentAt = Infinity } = origin;
  const isLate = command.ifGeneration === undefined && now - sentAt > longestWaitMs;
  if (isLate) throw refusing(control, asked, waited);
  return origin;
}

/** Outside of an activity of Temporal, as in a test, nothing is known and nothing repeated. */
async function originOf(heard: HeardVerb): Promise<CommandOrigin> {
  const context = asyncLocalStorage.getStore();
  if (!context?.info.workflowExecution) return { isRepeated: false };
  try {
    return originIn(await newestEvents(context, heard), heard);
  } catch (error) {
    if (!isGrpcServiceError(error) || !unreadable.has(error.code)) throw error;
    throw commandRefusal(`whether a reset repeats it cannot be read: ${error.message}`);
  }
}

/** PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED: another attempt is answered the same. */
const unreadable = new Set([7, 12, 16]);

const eventsOfPage = 100;

/** Back to the last task that was done before the command was heard, the newest first. */
async function newestEvents({ client, info }: Context, heard: HeardVerb): Promise<Event[]> {
  const { namespace, workflowExecution: execution = null } = info;
  const found: Event[] = [];
  let nextPageToken: Uint8Array | null | undefined;
  do {
    const page = await client.workflowService.getWorkflowExecutionHistoryReverse({
      namespace,
      execution,
      maximumPageSize: eventsOfPage,
      ...(nextPageToken && { nextPageToken }),
    });
    for (const event of page.history?.events ?? []) {
      if (isDoneBefore(event, heard)) return found;
      found.push(event);
    }
    ({ nextPageToken } = page);
  } while (nextPageToken?.length);
  return found;
}

function isDoneBefore(event: Event, { heardAt = Infinity }: HeardVerb): boolean {
  const isDone = Boolean(event.workflowTaskCompletedEventAttributes);
  return isDone && Number(event.eventId) < heardAt;
}

/**
 * A reset copies the history up to its point, fails the task that stood there, adds the signals and
 * updates that had come since, and schedules a task. Commands from before that task may have been
 * done by the run before.
 */
export function originIn(
  events: readonly Event[],
  { verb, heardAt = Infinity }: HeardVerb,
): CommandOrigin {
  const reset = events.findIndex(
    ({ workflowTaskFailedEventAttributes: failed }) => Number(failed?.cause) === resetWorkflow,
  );
  const firstTask = events
    .slice(0, Math.max(reset, 0))
    .findLast(({ workflowTaskScheduledEventAttributes: task }) => task);
  const begun = Number(firstTask?.eventId ?? 0);
  const messages = events.filter((event) => nameIn(event) === verb);
  const isRepeated =
    heardAt < begun ||
    messages.some((event) => isBroughtAgain(event) || Number(event.eventId) < begun);
  const signals = messages.filter((event) => event.workflowExecutionSignaledEventAttributes);
  const identity = signals[0]?.workflowExecutionSignaledEventAttributes?.identity;
  const sentAt = optionalTsToMs(signals.at(-1)?.eventTime);
  return defined({ identity: identity || undefined, isRepeated, sentAt });
}

function nameIn({
  workflowExecutionSignaledEventAttributes: signal,
  workflowExecutionUpdateAdmittedEventAttributes: update,
}: Event): string | null | undefined {
  return signal?.signalName ?? update?.request?.input?.name;
}

function isBroughtAgain({
  workflowExecutionUpdateAdmittedEventAttributes: update,
}: Event): boolean {
  return Number(update?.origin) === reapplied;
}
