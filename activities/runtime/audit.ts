/**
 * Who asked for what: a line in the log for each command and for what becomes of each VM, and for
 * commands and deletions the end of an Event. What a caller says of itself is not checked, the
 * identity of a client of Temporal neither.
 */
import { asyncLocalStorage, type Context } from '@temporalio/activity';
import type { MachineCommand, RolloutCommand } from '../../workflows/contracts/commands.ts';
import type { ObjectReference } from '../../workflows/contracts/references.ts';

export interface AuditEntry {
  /** A command, or an `InstanceVerb`. */
  verb: string;
  /** `Machine shoot--dev/pool-a`. */
  object: string;
  uid?: string;
  /** Of the instance that it is about. */
  providerID?: string;
  nodeName?: string;
  /** Of the driver. */
  provider?: string;
  /** Under which the cloud knows the request. */
  requestId?: string;
  /** Of the call of the driver. */
  durationMs?: number;
  /** What the command came by. */
  through?: 'Temporal' | 'annotation';
  by?: string;
  /** Of the client that sent the signal; absent where its history does not say it yet. */
  identity?: string;
  workflowId?: string;
  runId?: string;
}

/**
 * What a driver did: made, found instead of making it, deleted; and `request...` where the cloud
 * took a request that it is at work on.
 */
export type InstanceVerb =
  'createInstance' | 'adoptInstance' | 'deleteInstance' | 'requestInstance' | 'requestDeletion';

export type Audit = (entry: AuditEntry) => void;

interface Commanded {
  object: ObjectReference & { kind: string };
  command: MachineCommand | RolloutCommand;
  written: string | undefined;
}

/** Logs it. Returns how the Event about it ends. */
export async function audited(
  audit: Audit,
  { object, command, written }: Commanded,
): Promise<string> {
  const { verb, by } = command;
  const through = written === undefined ? 'Temporal' : 'annotation';
  const identity = written === undefined ? await identityBehind(verb) : undefined;
  const run = currentRun();
  audit({
    verb,
    object: `${object.kind} ${object.namespace}/${object.name}`,
    uid: object.uid,
    through,
    ...(by !== undefined && { by }),
    ...(identity !== undefined && { identity }),
    ...run,
  });
  const who = by === undefined ? '' : ` by "${by}"`;
  const notes = [
    ...(identity === undefined ? [] : [`client ${identity}`]),
    ...(run ? [`run ${run.runId}`] : []),
  ];
  const how = through === 'Temporal' ? 'through Temporal' : 'by annotation';
  return `asked for ${how}${who}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
}

/** Undefined outside of an activity of Temporal, as in a test. */
export function currentRun(): { workflowId: string; runId: string } | undefined {
  return currentContext()?.info.workflowExecution;
}

function currentContext(): Context | undefined {
  return asyncLocalStorage.getStore();
}

/** The command is searched for among so many events before the present one. */
const eventsSearched = 50;

/**
 * Of the client that sent the newest signal of this name. That of an update stands in the history
 * only after the workflow task that does it.
 */
async function identityBehind(verb: string): Promise<string | undefined> {
  const context = currentContext();
  const execution = context?.info.workflowExecution;
  if (!context || !execution) return undefined;
  try {
    const { workflowService } = context.client;
    const { history } = await workflowService.getWorkflowExecutionHistoryReverse({
      namespace: context.info.namespace,
      execution,
      maximumPageSize: eventsSearched,
    });
    return (
      history?.events
        ?.map(({ workflowExecutionSignaledEventAttributes: signal }) => signal)
        .find((signal) => signal?.signalName === verb)?.identity ?? undefined
    );
  } catch (error) {
    context.log.warn('who sent a command is not known', { error });
    return undefined;
  }
}
