import { readFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import { podsOnNodes } from '../../activities/drain/pods.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isRefusal } from '../../kube/client/errors.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { customResource, namespaced } from '../../kube/client/paths.ts';
import { annotations } from '../../workflows/api/constants.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { Budget } from '../../workflows/plan/drain/budgets.ts';
import { budgetsOf } from '../../workflows/plan/drain/budgets.ts';
import { defined } from '../../workflows/values/defined.ts';
import { isRecord } from '../../workflows/values/is-record.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { viewOf } from '../objects/deployment-view.ts';
import { readDeployment } from '../objects/read-object.ts';
import { nodeNameOf } from '../objects/node-pods.ts';
import type { TargetOptions } from '../connection/target.ts';
import { inTarget } from '../connection/target.ts';
import { UsageError } from '../command-line/usage-error.ts';
import type { ClusterOptions, OutputOptions } from '../command-line/options.ts';
import type { PastDeletion, Durations } from './durations.ts';
import { durationsOf } from './durations.ts';
import { patched } from './patched.ts';
import { policiesAmong, readPolicies } from './policies.ts';
import type { Happening, SimulatedPace, SimulatedRollout } from './simulation.ts';
import { simulate } from './simulation.ts';
import { formatDuration } from '../../workflows/api/duration.ts';
import { machines as countOfMachines } from '../../workflows/plan/machine-deployment/rollout/words.ts';

export interface PlanOptions extends ClusterOptions, OutputOptions, TargetOptions {
  /** A file with MachineDeployments, or a change of one that is there. */
  change: { file: string } | { name: string; replicas?: number; class?: string };
}

export async function plan(scope: ClusterScope, options: PlanOptions): Promise<Answer> {
  const changed = await changedOf(scope, options.change);
  const planned: Planned[] = [];
  for (const deployment of changed) planned.push(await planOne(scope, options, deployment));
  return answerOf(planned);
}

async function planOne(
  scope: ClusterScope,
  options: PlanOptions,
  deployment: MachineDeployment,
): Promise<Planned> {
  const { kube, namespace } = scope;
  const list = async <Kind>(kind: Parameters<typeof customResource>[0]): Promise<Kind[]> =>
    (await kube.list<Kind>(customResource(kind, namespace))).items;
  const [deployments, sets, machines, classes, deletions, policies] = await Promise.all([
    list<MachineDeployment>('machinedeployments'),
    list<MachineSet>('machinesets'),
    list<Machine>('machines'),
    list<MachineClass>('machineclasses'),
    readDeletions(scope),
    readPolicies(scope),
  ]);
  const now = Date.now();
  const { name } = deployment.metadata;
  const objects = { deployment, sets, machines };
  const { faults } = viewOf(objects, now);
  const template = deployment.spec.template?.spec ?? {};
  const className = template.class?.name ?? '';
  const durations = durationsOf({ machines, classes, deletions }, { className, template });
  const warnings = classWarnings(className, classes);
  if (faults.length > 0) return { name, faults, warnings, durations };
  const own = ownOf(objects);
  const present = { deployments, sets, machines };
  const play = (pace: SimulatedPace): SimulatedRollout => {
    const settled = now + pace.deletion;
    const terms = policies && policiesAmong(policies, present, settled);
    return simulate(own, pace, defined({ now, policies: terms }));
  };
  const likely = play(paceOf(durations, ({ seconds }) => seconds));
  const longest = play(paceOf(durations, ({ longestSeconds }) => longestSeconds));
  const drained = likely.happenings.flatMap(({ kind, names }) =>
    kind === 'delete' || kind === 'select' ? names : [],
  );
  const budgets = await inTarget(scope, options, (target) =>
    readRefusingBudgets(
      target,
      machines.filter(({ metadata }) => drained.includes(metadata.name)),
    ),
  );
  const isOfPolicies = policies !== undefined;
  const longestMs = longest.tookMs;
  return { name, faults, warnings, durations, likely, longestMs, budgets, isOfPolicies };
}

/**
 * PodDisruptionBudgets that allow nothing now, on the Nodes of these machines. Undefined where the
 * caller may not read pods or budgets.
 */
async function readRefusingBudgets(
  target: KubeClient,
  machines: readonly Machine[],
): Promise<string[] | undefined> {
  if (machines.length === 0) return [];
  try {
    const pods = await podsOnNodes(target, new Set(machines.map(nodeNameOf)));
    const { items } = await target.list<Budget>('/apis/policy/v1/poddisruptionbudgets');
    const refusing = items.filter(({ status }) => (status?.disruptionsAllowed ?? 0) === 0);
    const found = pods.flatMap((pod) => budgetsOf(pod, refusing));
    return [...new Set(found.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`))];
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

/** Of the likely or the longest times. */
function paceOf(
  durations: Durations,
  secondsOf: (guess: Durations[keyof Durations]) => number,
): SimulatedPace {
  const { creation, deletion, drain, update } = durations;
  return {
    creation: secondsOf(creation) * 1_000,
    deletion: secondsOf(deletion) * 1_000,
    drain: secondsOf(drain) * 1_000,
    update: secondsOf(update) * 1_000,
  };
}

/**
 * Objects of others decide nothing, but their names are taken. Past a deadline a rollout goes on,
 * or back: neither is a plan.
 */
function ownOf({ deployment, sets, machines }: Required<Parameters<typeof viewOf>[0]>) {
  const view = viewOf({ deployment, sets, machines }, 0);
  const { progressDeadlineSeconds: _none, ...spec } = deployment.spec;
  return {
    deployment: { ...deployment, spec },
    sets: view.sets,
    machines: [...(view.machines ?? [])],
  };
}

function classWarnings(name: string, classes: readonly MachineClass[]): string[] {
  const found = classes.find(({ metadata }) => metadata.name === name);
  if (!found) return [`MachineClass ${name} does not exist: no machine of it can be made`];
  const note = found.metadata.annotations?.[annotations.invalid];
  return note === undefined ? [] : [`MachineClass ${name}: ${note}`];
}

async function changedOf(
  scope: ClusterScope,
  change: PlanOptions['change'],
): Promise<MachineDeployment[]> {
  if ('file' in change) return await fromFile(scope, change.file);
  const { name, replicas, class: className } = change;
  const present = await readDeployment(scope, name);
  const spec = {
    ...(replicas !== undefined && { replicas }),
    ...(className !== undefined && { template: { spec: { class: { name: className } } } }),
  };
  return [patched(present, { spec })];
}

async function fromFile(
  { kube, namespace }: ClusterScope,
  file: string,
): Promise<MachineDeployment[]> {
  const documents = await readDocuments(file);
  const found = documents.filter(isDeployment);
  if (found.length === 0) throw new UsageError(`${file} has no MachineDeployment`);
  return await Promise.all(
    found.map(async ({ metadata, spec }) => {
      if (metadata.namespace !== undefined && metadata.namespace !== namespace) {
        throw new UsageError(
          `${file}: ${metadata.name} is of namespace ${metadata.namespace}, not ${namespace}: say --namespace ${metadata.namespace}`,
        );
      }
      const path = customResource('machinedeployments', namespace, metadata.name);
      const present = await ignoreNotFound(kube.get<MachineDeployment>(path));
      const { labels = {}, annotations: notes = {} } = metadata;
      const changes = { metadata: { labels, annotations: notes }, spec };
      return patched(present ?? newDeployment(namespace, metadata.name), changes);
    }),
  );
}

async function readDocuments(file: string): Promise<unknown[]> {
  try {
    const documents = [...parseAllDocuments(await readFile(file, 'utf8'))];
    // The parser goes on after a fault, with what it takes the rest for.
    const [fault] = documents.flatMap(({ errors }) => errors);
    if (fault) throw fault;
    return documents.map((document): unknown => document.toJS());
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

function isDeployment(document: unknown): document is MachineDeployment {
  if (!isRecord(document) || document['kind'] !== 'MachineDeployment') return false;
  const { metadata, spec } = document;
  return isRecord(metadata) && typeof metadata['name'] === 'string' && isRecord(spec);
}

function newDeployment(namespace: string, name: string): MachineDeployment {
  const creationTimestamp = new Date().toISOString();
  const metadata = { name, namespace, uid: 'new', resourceVersion: '0', creationTimestamp };
  const spec = { template: {} };
  return { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'MachineDeployment', metadata, spec };
}

interface ReadEvent {
  reason?: string;
  message?: string;
  lastTimestamp?: string | null;
  involvedObject?: { name?: string };
}

/** From the request of a set until the instance was gone, as far as Events remember it. */
async function readDeletions({ kube, namespace }: ClusterScope): Promise<PastDeletion[]> {
  const events = await readEvents(kube, namespace);
  const requests = new Map<string, number>();
  for (const { reason, message = '', lastTimestamp } of events) {
    if (reason !== 'SuccessfulDelete') continue;
    const names = message.split(': ')[1]?.split(', ') ?? [];
    for (const name of names) requests.set(name, Date.parse(lastTimestamp ?? ''));
  }
  return events.flatMap(({ reason, lastTimestamp, involvedObject }) => {
    const machine = involvedObject?.name ?? '';
    const seconds = (Date.parse(lastTimestamp ?? '') - (requests.get(machine) ?? NaN)) / 1_000;
    return reason === 'InstanceDeleted' && seconds >= 0 ? [{ machine, seconds }] : [];
  });
}

async function readEvents(kube: KubeClient, namespace: string): Promise<ReadEvent[]> {
  try {
    return (await kube.list<ReadEvent>(namespaced('events', namespace))).items;
  } catch (error) {
    if (isRefusal(error)) return [];
    throw error;
  }
}

interface Planned {
  /** Name of the MachineDeployment. */
  name: string;
  /** Why the change would be refused. */
  faults: string[];
  /** Keeps machines from being made. */
  warnings: string[];
  durations: Durations;
  /** Absent when the change would be refused. */
  likely?: SimulatedRollout;
  /** With machines that take as long as they may. */
  longestMs?: number;
  /** Those that allow nothing now; undefined where they cannot be read. */
  budgets?: string[] | undefined;
  /** False where DisruptionPolicies cannot be read. */
  isOfPolicies?: boolean;
}

function answerOf(planned: readonly Planned[]): Answer {
  const isRefused = planned.some(({ faults, warnings }) => faults.length + warnings.length > 0);
  return {
    text: planned.map(textOf).join('\n\n'),
    data: planned.map(dataOf),
    exitCode: isRefused ? 1 : 0,
  };
}

function dataOf({ likely, longestMs, budgets, isOfPolicies: _seen, ...planned }: Planned): object {
  if (!likely) return planned;
  const {
    plan: outcome,
    tookMs,
    happenings,
    objects: _objects,
    nextAt: _none,
    remembered: _known,
    ...counts
  } = likely;
  const { state, reason, next = null, blockedBy = null } = outcome;
  return {
    ...planned,
    ...counts,
    seconds: Math.round(tookMs / 1_000),
    longestSeconds: Math.round((longestMs ?? 0) / 1_000),
    end: { state, reason, next, blockedBy },
    refusingBudgets: budgets ?? null,
    steps: happenings.map(({ at, ...step }) => ({ seconds: Math.round(at / 1_000), ...step })),
  };
}

function textOf(planned: Planned): string {
  const { name, faults, warnings, likely } = planned;
  const lines = [
    `machinedeployment/${name}`,
    ...faults.map((fault) => `  refused, and nothing is touched: ${fault}`),
    ...warnings.map((warning) => `  ${warning}`),
    ...(likely ? outcomeLines(planned, likely) : []),
  ];
  return lines.join('\n');
}

function outcomeLines(planned: Planned, likely: SimulatedRollout): string[] {
  const { created, deleted, updated, happenings } = likely;
  const inPlace = updated > 0 ? `, ${updated} updated in place` : '';
  if (happenings.length === 0) return [`  nothing changes: ${likely.plan.reason}`];
  return [
    ...stepLines(happenings),
    `  machines: ${created} created, ${deleted} deleted${inPlace}; at most ${likely.mostMachines} at a time, at least ${likely.fewestAvailable} available`,
    ...(created + deleted + updated > 0 ? timeLines(planned, likely) : []),
    ...endLines(planned, likely),
  ];
}

const linesMax = 40;

function stepLines(happenings: readonly Happening[]): string[] {
  const lines = joined(happenings).map(
    (step) => `  ${`+${formatDuration(Math.round(step.at / 1_000))}`.padEnd(12)}${wordsOf(step)}`,
  );
  if (lines.length <= linesMax) return lines;
  const more = lines.length - linesMax + 1;
  return [...lines.slice(0, linesMax - 1), `  ... and ${more} more steps: -o json has all`];
}

/** Puts what happens to one set at one moment in one line. */
function joined(happenings: readonly Happening[]): Happening[] {
  const result: Happening[] = [];
  for (const step of happenings) {
    const last = result.at(-1);
    const isSame = last?.at === step.at && last.kind === step.kind && last.subject === step.subject;
    if (isSame && ['running', 'gone', 'update'].includes(step.kind)) {
      last.count += step.count;
      last.names.push(...step.names);
    } else {
      result.push({ ...step, names: [...step.names] });
    }
  }
  return result;
}

export function wordsOf(step: Happening): string {
  const words = wordsFor[step.kind](step);
  return step.reason === undefined ? words : `${words}: ${step.reason}`;
}

const wordsFor: Record<Happening['kind'], (step: Happening) => string> = {
  createSet: ({ subject, count }) => `creates MachineSet ${subject} for ${countOfMachines(count)}`,
  scaleSet: ({ subject, count }) => `scales MachineSet ${subject} to ${count}`,
  create: ({ subject, count }) => `creates ${countOfMachines(count)} of ${subject}`,
  delete: ({ subject, count, names }) =>
    `deletes ${countOfMachines(count)} of ${subject}: ${names.join(', ')}`,
  running: ({ subject, count }) => `${countOfMachines(count)} of ${subject} Running`,
  gone: ({ subject, count }) => `${countOfMachines(count)} of ${subject} gone`,
  select: ({ subject, count, names }) =>
    `drains ${countOfMachines(count)} of ${subject} for the update: ${names.join(', ')}`,
  update: ({ subject, count }) => `${countOfMachines(count)} of ${subject} updated in place`,
  unmark: ({ subject, count }) =>
    `${countOfMachines(count)} of ${subject} not to be updated any more`,
  rollBack: ({ subject }) => `goes back to MachineSet ${subject}`,
  refuseRollback: () => 'refuses the rollback',
  deleteSets: ({ subject }) => `deletes the empty MachineSet ${subject}`,
  wait: ({ subject }) => subject,
  passWave: () => 'goes on by itself',
  hold: ({ subject }) => `${subject}: a person checks them, then: millwright rollout resume`,
};

function timeLines(
  { durations, longestMs = 0 }: Planned,
  { tookMs, updated }: SimulatedRollout,
): string[] {
  const { creation, deletion, drain, update } = durations;
  const likely = formatDuration(Math.round(tookMs / 1_000));
  const longest = formatDuration(Math.round(longestMs / 1_000));
  return [
    `  time: about ${likely}; ${longest} if each machine takes as long as its timeouts let it`,
    `    a creation ${guessed(creation)}, a deletion ${guessed(deletion)}`,
    ...(updated > 0
      ? [`    a drain ${guessed(drain)}, an update in place ${guessed(update)}`]
      : []),
  ];
}

function guessed({ seconds, source }: Durations[keyof Durations]): string {
  return `${formatDuration(Math.round(seconds))} (${source})`;
}

function endLines(
  { budgets, isOfPolicies }: Planned,
  { plan: outcome, isCut, happenings }: SimulatedRollout,
): string[] {
  const hold = happenings.some(({ kind }) => kind === 'hold')
    ? 'the time of a person is not counted'
    : '';
  const next = outcome.next === undefined ? '' : `; ${outcome.next}`;
  const isOver = outcome.state === 'Complete';
  return [
    ...(hold === '' ? [] : [`  ${hold}`]),
    ...(isOver ? [] : [`  it ends so: ${outcome.state}: ${outcome.reason}${next}`]),
    ...(isCut ? ['  the end is left out: there are too many steps'] : []),
    ...budgetLines(budgets),
    ...(isOfPolicies ? [] : ['  DisruptionPolicies: you may not read them']),
  ];
}

function budgetLines(budgets: readonly string[] | undefined): string[] {
  if (budgets === undefined) return ['  PodDisruptionBudgets: you may not read them'];
  if (budgets.length === 0) return [];
  return [`  PodDisruptionBudgets that allow nothing now: ${budgets.join(', ')}`];
}
