/**
 * Audit of commands: a line in the log for each command and for what becomes of each VM, and for
 * commands and deletions the end of an Event. The name that a caller gives itself is not checked,
 * the identity of a client of Temporal neither.
 */
import { asyncLocalStorage } from '@temporalio/activity';
import type { MachineCommand, RolloutCommand } from '../../workflows/contracts/commands.ts';
import type { ObjectReference } from '../../workflows/contracts/references.ts';

export interface AuditEntry {
  /** A command, or an `InstanceVerb`. */
  verb: string;
  /** `Machine shoot--dev/pool-a`. */
  object: string;
  uid?: string;
  /** ID of the instance that it is about. */
  providerID?: string;
  nodeName?: string;
  /** Name of the driver. */
  provider?: string;
  /** Under which the cloud knows the request. */
  requestId?: string;
  /** Duration of the driver's call. */
  durationMs?: number;
  /** Path by which the command came. */
  through?: 'Temporal' | 'annotation';
  by?: string;
  /** Identity of the client that sent the signal; absent where its history does not have it yet. */
  identity?: string;
  workflowId?: string;
  runId?: string;
}

/**
 * Actions of a driver: made, found instead of making it, deleted; and `request...` where the cloud
 * took a request that it is at work on.
 */
export type InstanceVerb =
  'createInstance' | 'adoptInstance' | 'deleteInstance' | 'requestInstance' | 'requestDeletion';

export type Audit = (entry: AuditEntry) => void;

interface Commanded {
  object: ObjectReference & { kind: string };
  command: MachineCommand | RolloutCommand;
  written: string | undefined;
  /** Identity of the client that sent the signal. */
  identity?: string;
}

/** Logs it. Returns how the Event about it ends. */
export function audited(audit: Audit, { object, command, written, identity }: Commanded): string {
  const { verb, by } = command;
  const through = written === undefined ? 'Temporal' : 'annotation';
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
  return asyncLocalStorage.getStore()?.info.workflowExecution;
}
