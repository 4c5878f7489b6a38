/** Where commands may come from, and those that are written on objects. */
import type { Caller, MachineCommand, RolloutCommand } from '../../workflows/contracts/commands.ts';
import type { RefusedCommand } from '../../workflows/contracts/machine-activities.ts';
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import type { CommandSource } from '../../workflows/api/command-source.ts';
import { generationFault } from '../../workflows/contracts/commands.ts';
import { formatCommand, howToWrite } from '../../workflows/contracts/written-command.ts';
import { commandIn } from '../../workflows/api/command-verbs.ts';
import { annotations, apiVersion } from '../../workflows/api/constants.ts';
import { clip } from '../../workflows/values/clip.ts';
import { ApplicationFailure } from '@temporalio/common';
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import { isRejectedWrite } from '../../kube/client/errors.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { customResource } from '../../kube/client/paths.ts';
import { recordEvent } from '../../kube/objects/events.ts';

const resources = { Machine: 'machines', MachineDeployment: 'machinedeployments' } as const;

export interface CommandedObject extends ObjectReference {
  kind: keyof typeof resources;
}

export interface RequestedCommand {
  object: CommandedObject;
  command: MachineCommand | RolloutCommand;
  /** The annotation; absent where it came through Temporal. */
  written?: string | undefined;
}

/** A failure that is for the person who asked. */
export function commandRefusal(reason: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(reason, 'Refused');
}

export function isCommandRefusal(error: unknown): error is ApplicationFailure {
  return error instanceof ApplicationFailure && error.type === 'Refused';
}

/** Throws a `commandRefusal` unless this worker takes commands that come so. */
export function requireAllowed(
  source: CommandSource,
  { object, command, written }: RequestedCommand,
): void {
  if (source === 'none') {
    throw commandRefusal(
      'commands are refused (--commands-by=none): change the object with kubectl',
    );
  }
  if (source === 'temporal' || written !== undefined) return;
  const { kind, namespace, name } = object;
  const how = howToWrite({ resource: kind.toLowerCase(), namespace, name }, command);
  throw commandRefusal(`commands through Temporal are refused (--commands-by=kubernetes): ${how}`);
}

/** Fields that the write of a command has in addition. */
interface Precondition {
  resourceVersion?: string | undefined;
  annotations?: object;
}

/**
 * So that a written command is done once: the annotation goes with it, and only from the version
 * that was read. `stale`: it is done, or was taken back. Throws a `commandRefusal` where the object
 * is not the one that the caller saw.
 *
 * @param isDone True when the object already has what the command asks for: an earlier attempt
 *   wrote it, and its answer was lost.
 */
export async function takingBack(
  control: KubeClient,
  asked: RequestedCommand,
  isDone: (found: KubeObject) => boolean = () => false,
): Promise<Precondition | 'stale'> {
  const { object, written, command } = asked;
  if (written === undefined && command.ifGeneration === undefined) return {};
  const found = await readSame(control, object);
  if (written !== undefined && commandIn(found?.metadata.annotations) !== written) return 'stale';
  // The write that follows fails, and its error says that the object is gone.
  if (!found) return {};
  const fault = faultIn(command, found);
  if (fault !== undefined && !isDone(found)) throw refusing(control, asked, fault);
  return preconditionOf(written, found);
}

function preconditionOf(written: string | undefined, { metadata }: KubeObject): Precondition {
  const { resourceVersion } = metadata;
  return written === undefined ? { resourceVersion } : { resourceVersion, annotations: takenOff };
}

function faultIn({ ifGeneration }: Caller, { metadata }: KubeObject): string | undefined {
  const { generation } = metadata;
  if (ifGeneration === undefined || ifGeneration === generation) return undefined;
  return generationFault(ifGeneration, generation);
}

const takenOff = { [annotations.command]: null };

/** Undefined where the object is gone, or another has its name. */
async function readSame(
  control: KubeClient,
  { kind, namespace, name, uid }: CommandedObject,
): Promise<KubeObject | undefined> {
  const path = customResource(resources[kind], namespace, name);
  const found = await ignoreNotFound(control.get<KubeObject>(path));
  return found?.metadata.uid === uid ? found : undefined;
}

/** Says it on the object as well, where nothing else does: a signal has no answer. */
export function refusing(
  control: KubeClient,
  { object, command, written }: RequestedCommand,
  reason: string,
): ApplicationFailure {
  if (written === undefined) {
    reportRefused(control, object, `"${formatCommand(command)}" was not done: ${reason}`);
  }
  return commandRefusal(reason);
}

/** Takes the annotation off the object, if it can be, and says why nothing was done. */
export async function refuseCommand(
  control: KubeClient,
  { object, written, fault }: RefusedCommand,
): Promise<void> {
  const found = await readSame(control, object);
  if (!found || commandIn(found.metadata.annotations) !== written) return;
  const { kind, namespace, name, uid } = object;
  const path = customResource(resources[kind], namespace, name);
  const metadata = { ...preconditionOf(written, found), uid };
  const kept = await refusalOf(control.patch(path, 'merge', { metadata }));
  const stays =
    kept === undefined ? '' : `; it stays on the object, as the API server says: ${kept}`;
  reportRefused(control, object, `"${clip(written, 100)}" was not done: ${fault}${stays}`);
}

function reportRefused(
  control: KubeClient,
  { kind, namespace, name, uid }: CommandedObject,
  message: string,
): void {
  recordEvent(
    control,
    { apiVersion, kind, namespace, name, uid },
    { type: 'Warning', reason: 'CommandRefused', message, component: 'millwright' },
  );
}

/** Where a policy keeps the annotation there, the workflow goes on all the same. */
async function refusalOf(write: Promise<unknown>): Promise<string | undefined> {
  try {
    await ignoreNotFound(write);
    return undefined;
  } catch (error) {
    if (!isRejectedWrite(error)) throw error;
    return error.message;
  }
}
