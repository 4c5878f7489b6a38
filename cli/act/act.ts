/** Asks for a command on a Machine, and says what came of it. */
import { machineCommandEffects, longestWrittenCommand } from '../../workflows/api/command-verbs.ts';
import type { MachineCommand } from '../../workflows/contracts/commands.ts';
import { defined } from '../../workflows/values/defined.ts';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import type { ConsentOptions, Preview } from '../command-line/consent.ts';
import { onceAgreed } from '../command-line/consent.ts';
import { millwrightFor } from '../command-line/millwright-line.ts';
import { readMachine, readMachineOn } from '../objects/read-object.ts';
import { callerOf } from '../objects/caller.ts';
import { requireRight, rightOnMachines } from '../objects/rights.ts';
import type { TargetOptions } from '../connection/target.ts';
import { inTarget } from '../connection/target.ts';
import type { ClusterOptions, OutputOptions } from '../command-line/options.ts';
import type { NodePods } from '../objects/node-pods.ts';
import { readNodePods } from '../objects/node-pods.ts';
import { annotations as known, drainOptions, labels } from '../../workflows/api/constants.ts';
import { budgetsOf } from '../../workflows/plan/drain/budgets.ts';
import { podKey } from '../../workflows/plan/drain/removals.ts';
import { shownIn } from '../terminal/columns.ts';
import { listOf } from '../terminal/screen.ts';
import type { KubeObject } from '../../kube/client/client.ts';
import { isRefusal } from '../../kube/client/errors.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { customResource, namespaced } from '../../kube/client/paths.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import { formatCommand } from '../../workflows/contracts/written-command.ts';
import { untilAnswered } from '../connection/until-answered.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { kubectlFor } from '../diagnosis/machine-commands.ts';
import { setNameOf } from '../diagnosis/machine-object.ts';
import { updateStateOf } from '../install/in-place.ts';

export interface ActOptions extends ClusterOptions, OutputOptions, ConsentOptions, TargetOptions {
  /** Name of the Machine, or of its Node. */
  name: string;
  /** Default `machine`. */
  kind?: 'machine' | 'node';
  command: MachineCommand;
}

export async function act(scope: ClusterScope, options: ActOptions): Promise<Answer> {
  const { kube, namespace } = scope;
  const { command } = options;
  const machine = await machineOf(scope, options);
  const { name } = machine.metadata;
  const refusal = refusalOf(machine, command);
  if (refusal !== undefined) throw new Error(refusal);
  await requireRight(kube, rightOnMachines('patch', 'machines', namespace));
  const nodePods = await inTarget(scope, options, (target) => readNodePods(target, machine));
  const preview = previewOf(nodePods, command);
  return await onceAgreed(options, preview, async () => {
    const { uid, generation } = machine.metadata;
    const wanted = {
      command: defined({ ...command, ifGeneration: generation }),
      done: machineCommandEffects[command.verb].reason,
    };
    const outcome = await writeCommand(scope, { name, uid }, wanted);
    const isDone = outcome.state === 'done' || outcome.state === 'unknown';
    const data = { ...preview.data, namespace, isDone, outcome };
    const text = `${preview.text}\n${messageOf(outcome, { namespace, name })}`;
    return { text, data, exitCode: isDone ? 0 : 1 };
  });
}

async function machineOf(
  scope: ClusterScope,
  { kind, name }: Pick<ActOptions, 'kind' | 'name'>,
): Promise<Machine> {
  return await (kind === 'node' ? readMachineOn(scope, name) : readMachine(scope, name));
}

function messageOf(
  { state, words, written }: CommandOutcome,
  { namespace, name }: { namespace: string; name: string },
): string {
  switch (state) {
    case 'done':
      return `Done: ${words ?? ''}`;
    case 'refused':
      return `Refused: ${words ?? ''}`;
    case 'unknown':
      return `A worker took "${written}", and no Event says what came of it. See: kubectl -n ${namespace} describe machine ${name}`;
    case 'replaced':
      return `"${words ?? ''}" was written in the place of "${written}", and no Event says that a worker took it before. If it is still wanted, ask for it again`;
    case 'waiting':
      return `No worker has taken "${written}" yet; it stays asked for. See: ${millwrightFor('doctor', namespace)}. To take it back: kubectl -n ${namespace} annotate machine ${name} millwright.dev/command-`;
  }
}

const mostNames = 10;

/** Describes what a command will do, from the present state of a Machine and its Node. */
function previewOf(nodePods: NodePods, command: MachineCommand): Preview {
  const { machine } = nodePods;
  const { name, annotations = {} } = machine.metadata;
  const waiting = annotations[known.command];
  const text = [
    `machine/${name} now: ${waitsFor(machine)}`,
    `millwright will: ${deedOf(nodePods, command)}`,
    ...(waiting === undefined
      ? []
      : [`It takes the place of "${shownIn(waiting)}", which no worker has taken yet.`]),
  ].join('\n');
  const data = {
    machine: name,
    command,
    now: waitsFor(machine),
    replaces: waiting ?? null,
    pods: 'unread' in nodePods.pods ? null : nodePods.pods.map(podKey),
    budgets: budgetNames(nodePods),
  };
  return { text, data };
}

function deedOf(nodePods: NodePods, command: MachineCommand): string {
  const { node, machine } = nodePods;
  switch (command.verb) {
    case 'retryNow':
      return isBeingDrained(machine)
        ? `ask the pods on Node ${node} at once to leave, with their budgets: ${podsIn(nodePods)}`
        : 'try at once what failed, as if its waiting time were over';
    case 'skipDrain':
      return `delete instance ${machine.spec.providerID ?? '(unknown)'} with what runs on Node ${node}: ${podsIn(nodePods)}. They are killed without a grace period${withoutBudgets(nodePods)}${withVolumes(nodePods)}`;
    case 'forceDelete':
      return `delete the pods on Node ${node} without a grace period${withoutBudgets(nodePods)}, and then the instance: ${podsIn(nodePods)}${withVolumes(nodePods)}`;
    case 'skipVolumeWait':
      return `evict the pods on Node ${node} without waiting until the volumes of the ones before are detached and attached elsewhere: ${podsIn(nodePods)}`;
    case 'selectForUpdate':
      return `select Node ${node} for its update in place, unless a worker says that the rollout may not take it now: it is cordoned and drained with the budgets of its pods, and then the agent on it begins: ${podsIn(nodePods)}`;
    case 'retryUpdate':
      return `have the agent on Node ${node} begin its update anew; the Node stays cordoned`;
    case 'giveUpUpdate':
      return giveUpDeedOf(machine);
    case 'extendDrain':
      return `let the drain of Node ${node} go on for ${command.minutes} minutes more before pods are deleted by force; until then their budgets are asked: ${podsIn(nodePods)}`;
  }
}

function giveUpDeedOf(machine: Machine): string {
  const instance = `instance ${machine.spec.providerID ?? '(unknown)'}`;
  return setNameOf(machine) === undefined
    ? `give the machine up: it is Failed, and ${instance} stays until it is deleted, as no MachineSet owns it`
    : `give the machine up: ${instance} is deleted, and what is on its disks is lost. A new one is made of the present template`;
}

function podsIn({ pods }: NodePods): string {
  if ('unread' in pods) return `its pods cannot be read (${pods.unread})`;
  if (pods.length === 0) return 'no pod is left that has to leave';
  return `${pods.length === 1 ? 'pod' : `${pods.length} pods`} ${listOf(pods.map(podKey), mostNames)}`;
}

function withoutBudgets(nodePods: NodePods): string {
  const names = budgetNames(nodePods);
  return names.length === 0
    ? ' and without asking a PodDisruptionBudget'
    : `, without waiting for PodDisruptionBudget ${listOf(names, mostNames)}`;
}

function withVolumes({ pods }: NodePods): string {
  const claims =
    'unread' in pods
      ? []
      : pods.flatMap(({ namespace, claims: names }) => names.map((name) => `${namespace}/${name}`));
  return claims.length === 0
    ? ''
    : `. Their volumes are taken off the Node once the instance is gone: ${listOf(claims, mostNames)}`;
}

function budgetNames({ pods, budgets }: NodePods): string[] {
  if ('unread' in pods) return [];
  const found = pods.flatMap((pod) => budgetsOf(pod, budgets));
  return [...new Set(found.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`))];
}

/** A watcher and a worker need a second or two. */
const takenWithinMs = 20_000;
/** Events are written after what they report. */
const reportedWithinMs = 10_000;

interface WrittenOn {
  name: string;
  uid: string;
}

interface CommandOutcome {
  /**
   * `unknown`: a worker took it, and no Event says what came of it. `waiting`: no worker has taken
   * it yet. `replaced`: another command stands there, and no Event says that this one was taken.
   */
  state: 'done' | 'refused' | 'unknown' | 'waiting' | 'replaced';
  /** Reason of the Event; for a command that was replaced, the other one. */
  words?: string;
  /** As it stood on the object. */
  written: string;
}

/** @param done Reason of the Event that reports that it was done. */
async function writeCommand(
  scope: ClusterScope,
  machine: WrittenOn,
  { command, done }: { command: MachineCommand; done: string },
): Promise<CommandOutcome> {
  const { kube, namespace } = scope;
  const path = customResource('machines', namespace, machine.name);
  const written = signed(formatCommand(command), await callerOf(kube));
  const before = await eventsOf(scope, machine);
  const metadata = { uid: machine.uid, annotations: { [known.command]: written } };
  await kube.patch(path, 'merge', { metadata });
  try {
    const taken = await untilAnswered(
      async () => {
        const found = await ignoreNotFound(kube.get<KubeObject>(path));
        const present = found?.metadata.annotations?.[known.command];
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

/** How the description begins once the pods are no longer asked. */
const ended = ['Drain successful', 'Force Drain', 'Skipping drain', 'Deleting Node', 'VM deletion'];

function isBeingDrained({ metadata, status }: Machine): boolean {
  const { description = '' } = status?.lastOperation ?? {};
  return (
    metadata.deletionTimestamp !== undefined &&
    metadata.labels?.[labels.node] !== undefined &&
    metadata.annotations?.[drainOptions.skip] !== 'true' &&
    !ended.some((start) => description.startsWith(start))
  );
}

/** Why a command makes no sense now, in words that say what to do; undefined when it does. */
function refusalOf(machine: Machine, { verb }: MachineCommand): string | undefined {
  if (verb === 'selectForUpdate') return selectionRefusalOf(machine);
  if (verb !== 'retryUpdate' && verb !== 'giveUpUpdate') return drainRefusalOf(machine, verb);
  return updateStateOf(machine) === 'failed' ? undefined : notFailed(machine);
}

/** What the rollout says to it is for a worker to know. */
function selectionRefusalOf(machine: Machine): string | undefined {
  const { name } = machine.metadata;
  const state = updateStateOf(machine);
  if (state === 'candidate') return undefined;
  return state === undefined
    ? `the Node of machine/${name} is no candidate for an update in place: its template has not changed, or it is updated already`
    : `the Node of machine/${name} is selected already: ${millwrightFor(`explain machine/${name}`, machine.metadata.namespace)}`;
}

function notFailed(machine: Machine): string {
  const { phase = 'new' } = machine.status?.currentStatus ?? {};
  return `machine/${machine.metadata.name} is ${phase}: no update in place of it has failed`;
}

function drainRefusalOf(machine: Machine, verb: MachineCommand['verb']): string | undefined {
  const { name, deletionTimestamp } = machine.metadata;
  const { phase = 'new' } = machine.status?.currentStatus ?? {};
  if (isBeingDrained(machine)) return undefined;
  if (verb === 'retryNow') {
    if (isFailing(machine)) return undefined;
    return `machine/${name} is ${phase} and waits for nothing that can be tried again`;
  }
  if (deletionTimestamp === undefined) {
    return `machine/${name} is ${phase} and is not being drained: delete it first, ${kubectlFor(machine)} delete machine ${name}`;
  }
  return `machine/${name} is being deleted, but its drain is not going on: ${waitsFor(machine)}`;
}

function isFailing({ status }: Machine): boolean {
  const isWaiting = status?.currentStatus?.phase === 'CrashLoopBackOff';
  return isWaiting || status?.lastOperation?.state === 'Failed';
}

/** On one line: what a cloud wrote there must not write over what a person is to consent to. */
function waitsFor({ status }: Machine): string {
  const { description } = status?.lastOperation ?? {};
  return description === undefined ? 'it says nothing of what it does' : shownIn(description);
}
