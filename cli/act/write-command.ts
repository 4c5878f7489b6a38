/** Writes a command on an object, with the rights of the caller, and finds out what came of it. */
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import { isRefusal } from '../../kube/client/errors.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { customResource, namespaced } from '../../kube/client/paths.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import { annotations } from '../../workflows/api/constants.ts';
import type { MachineCommand } from '../../workflows/contracts/commands.ts';
import { longestWrittenCommand } from '../../workflows/api/command-verbs.ts';
import { formatCommand } from '../../workflows/contracts/written-command.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { untilAnswered } from '../connection/until-answered.ts';

/** A watcher and a worker need a second or two. */
const takenWithinMs = 20_000;
/** Events are written after what they report. */
const reportedWithinMs = 10_000;

interface WrittenOn {
  name: string;
  uid: string;
}

export interface CommandOutcome {
  /**
   * `unknown`: a worker took it, and no Event says what came of it. `waiting`: no worker has taken
   * it yet. `replaced`: another command stands there, and no Event says that this one was taken.
   */
  state: 'done' | 'refused' | 'unknown' | 'waiting' | 'replaced';
  /** Of the Event; of a command that was replaced, the other one. */
  words?: string;
  /** As it stood on the object. */
  written: string;
}

/** @param done Reason of the Event that reports that it was done. */
export async function writeCommand(
  scope: ClusterScope,
  machine: WrittenOn,
  { command, done }: { command: MachineCommand; done: string },
): Promise<CommandOutcome> {
  const { kube, namespace } = scope;
  const path = customResource('machines', namespace, machine.name);
  const written = signed(formatCommand(command), await callerOf(kube));
  const before = await eventsOf(scope, machine);
  const metadata = { uid: machine.uid, annotations: { [annotations.command]: written } };
  await kube.patch(path, 'merge', { metadata });
  try {
    const taken = await untilAnswered(
      async () => {
        const found = await ignoreNotFound(kube.get<KubeObject>(path));
        const present = found?.metadata.annotations?.[annotations.command];
        return present === written ? undefined : { present };
      },
      { withinMs: takenWithinMs },
    );
    if (!taken) return { state: 'waiting', written };
    const { present } = taken;
    const reasons = [done, 'CommandRefused'];
    const report = before && (await untilReported(scope, machine, { before, reasons }));
    if (!report && present !== undefined) return { state: 'replaced', words: present, written };
    if (!report) return { state: 'unknown', written };
    const state = report.reason === done ? 'done' : 'refused';
    return { state, words: report.message, written };
  } catch (error) {
    // To ask again would do it twice.
    const words = `"${written}" stands on machine/${machine.name}, and what comes of it is not known`;
    throw new Error(`${words}: ${reasonOf(error)}`, { cause: error });
  }
}

/** `text` with who asks, as far as there is room for it. */
export function signed(text: string, by: string | undefined): string {
  const whole = `${text} by=${by}`;
  return by === undefined || whole.length > longestWrittenCommand ? text : whole;
}

interface Review {
  status?: { userInfo?: { username?: string } };
}

/** As the API server knows the caller, who may lack the right to ask for that. */
async function callerOf(kube: KubeClient): Promise<string | undefined> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  try {
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const { status } = await kube.create<Review>(path, body);
    const name = status?.userInfo?.username;
    return name !== undefined && /^\S{1,200}$/.test(name) ? name : undefined;
  } catch {
    return undefined;
  }
}

interface ReadEvent {
  metadata: { name: string };
  reason: string;
  message: string;
  count?: number;
}

/** Undefined when the caller may not read them. */
async function eventsOf({ kube, namespace }: ClusterScope, { uid }: WrittenOn) {
  try {
    const fieldSelector = `involvedObject.uid=${uid}`;
    const { items } = await kube.list<ReadEvent>(namespaced('events', namespace), {
      fieldSelector,
    });
    return items;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

/** The same text again counts up the Event that is there. */
async function untilReported(
  scope: ClusterScope,
  machine: WrittenOn,
  { before, reasons }: { before: readonly ReadEvent[]; reasons: readonly string[] },
): Promise<ReadEvent | undefined> {
  const counts = new Map(before.map(({ metadata, count = 1 }) => [metadata.name, count]));
  const isNew = ({ metadata, reason, count = 1 }: ReadEvent): boolean =>
    reasons.includes(reason) && count > (counts.get(metadata.name) ?? 0);
  return await untilAnswered(async () => (await eventsOf(scope, machine))?.find(isNew), {
    withinMs: reportedWithinMs,
  });
}
