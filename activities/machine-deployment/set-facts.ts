/** Facts about a deployment's sets and the Machines in them, for plans. */
import { annotations, labels } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { clip } from '../../workflows/values/clip.ts';
import { defined } from '../../workflows/values/defined.ts';
import type { SetFacts } from '../../workflows/plan/machine-deployment/rollout/facts.ts';
import { revisionOf } from '../../workflows/plan/machine-deployment/rollout/revisions.ts';
import { isChosen, priorityOfMarked } from '../../workflows/plan/machine-set/marked-machines.ts';
import type { MachineFact } from '../../workflows/plan/machine-set/scale-down.ts';
import { deletePolicyOf, orderForScaleDown } from '../../workflows/plan/machine-set/scale-down.ts';
import { isFailed, isPresent, isPreserved } from '../../workflows/plan/machine-set/deletions.ts';
import { nodeConditionsOf } from '../machine/conditions.ts';
import { factOf, isAvailable } from '../machine-set/facts.ts';
import { timeOf } from '../../kube/objects/time.ts';
import { isSpecObserved } from '../../kube/objects/generation.ts';
import { scaledAtNote, scalingAnnotationsOf, syncPatchOf } from './new-set.ts';
import { scaledAtOf } from './scaled-at.ts';

export interface SetView {
  set: MachineSet;
  /** Its Machines; absent when they were not read. */
  machines?: readonly Machine[];
  isOfTemplate: boolean;
}

/**
 * `readySeconds`: a machine counts as available after so long in phase Running. `now`:
 * milliseconds.
 */
export interface Clock {
  now: number;
  readySeconds: number;
}

export function setFactsOf(deployment: MachineDeployment, view: SetView, clock: Clock): SetFacts {
  const { set, isOfTemplate } = view;
  const { metadata, spec, status = {} } = set;
  const notes = metadata.annotations ?? {};
  const revision = revisionOf(notes[annotations.revision]);
  return defined({
    name: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    revision,
    isFormer: notes[annotations.revisionHistory] !== undefined,
    isOfTemplate,
    isDeleting: metadata.deletionTimestamp !== undefined,
    isObserved: isSpecObserved(set),
    replicas: wholeOf(spec.replicas),
    reported: wholeOf(status.replicas),
    desired: countOf(notes[annotations.desiredReplicas]),
    max: countOf(notes[annotations.maxReplicas]),
    hasFreshScaling: hasFreshScaling(notes, {
      ...scalingAnnotationsOf(deployment),
      ...(isOfTemplate && scaledAtNote(scaledAtOf(deployment, clock.now))),
    }),
    needsSync: isOfTemplate && syncPatchOf(deployment, set, revision) !== undefined,
    ...machinesOf(view, { ...clock, named: namedIn(deployment) }),
    isTainted: notes[annotations.preferNoSchedule] !== undefined,
    isClosed: labels.scaleUpDisabled in (metadata.labels ?? {}),
    problem: problemOf(set),
    failing: failingOf(set),
  });
}

function countOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function hasFreshScaling(notes: Record<string, string>, wanted: Record<string, string>): boolean {
  return Object.entries(wanted).every(([key, value]) => notes[key] === value);
}

function problemOf({ metadata, status }: MachineSet): string | undefined {
  const failure = status?.machineSetCondition?.find(
    ({ type, status: value }) =>
      value === 'True' && (type === 'ReplicaFailure' || type === 'Frozen'),
  );
  if (failure) return `${failure.type}: ${failure.message ?? failure.reason ?? ''}`;
  return metadata.labels?.[labels.freeze] === 'True'
    ? 'Frozen: its label freeze is True'
    : undefined;
}

/** It stands in the history of each read, and on a page. */
const longestWhyBytes = 200;

function failingOf({ status }: MachineSet): SetFacts['failing'] {
  const { name, lastOperation } = status?.failedMachines?.[0] ?? {};
  if (name === undefined) return undefined;
  return { name, why: clip(lastOperation?.description ?? 'it failed', longestWhyBytes) };
}

/** Machines that an autoscaler names on the deployment; their priority may not be written yet. */
function namedIn({ metadata }: MachineDeployment): ReadonlySet<string> {
  const list = metadata.annotations?.[annotations.triggerDeletion] ?? '';
  return new Set(list.split(',').map((entry) => entry.split('~', 1)[0]?.trim() ?? ''));
}

function machinesOf(
  { set, machines }: SetView,
  clock: Clock & { named: ReadonlySet<string> },
): Pick<SetFacts, 'machines' | 'going' | 'preserved' | 'chosen'> {
  if (!machines) return countedOf(set);
  const facts = machines
    .map(factOf)
    .map((fact) => (clock.named.has(fact.name) ? { ...fact, priority: priorityOfMarked } : fact));
  const policy = deletePolicyOf(set.metadata.annotations?.[annotations.deletePolicy]);
  const present = orderForScaleDown(facts.filter(isPresent), clock.now, policy);
  const byName = new Map(machines.map((machine) => [machine.metadata.name, machine]));
  const letters = present.map(({ name }) => letterOf(byName.get(name), clock));
  const preserved = present.filter((fact) => isFailed(fact) && isPreserved(fact, clock.now)).length;
  const going = facts.length - present.length;
  const chosen = chosenIn(present).slice(Math.max(present.length - wholeOf(set.spec.replicas), 0));
  return {
    machines: letters.join(''),
    going,
    ...(preserved > 0 && { preserved }),
    ...(chosen.length > 0 && { chosen }),
  };
}

/**
 * Times of the mark of those that would go next; a preserved one is not among them, and nor is what
 * is after it.
 */
function chosenIn(order: readonly MachineFact[]): number[] {
  const end = order.findIndex((fact) => !isChosen(fact));
  return order.slice(0, end === -1 ? undefined : end).map(({ chosenAt = 0 }) => chosenAt);
}

/** No set has more; a status that says so was not written by us. */
const mostMachines = 100_000;

/** Where the set's own counts are enough: it is the only one with machines. */
function countedOf({
  status = {},
}: MachineSet): Pick<SetFacts, 'machines' | 'going' | 'preserved'> {
  const replicas = Math.min(wholeOf(status.replicas), mostMachines);
  const available = Math.min(wholeOf(status.availableReplicas), replicas);
  const preserved = Math.min(wholeOf(status.preservedFailedReplicas), replicas - available);
  const others = replicas - available - preserved;
  return {
    machines: 'U'.repeat(others) + 'A'.repeat(available) + 'U'.repeat(preserved),
    going: 0,
    ...(preserved > 0 && { preserved }),
  };
}

/** The schema lets negative counts pass. */
export function wholeOf(count: number | undefined): number {
  return Math.max(count ?? 0, 0);
}

function letterOf(machine: Machine | undefined, clock: Clock): 'A' | 'R' | 'U' {
  if (!machine || !isAvailable(machine)) return 'U';
  return isAvailableFor(machine, clock) ? 'A' : 'R';
}

/** It bears load, and has done so for long enough. */
export function isAvailableFor(machine: Machine, { now, readySeconds }: Clock): boolean {
  return isAvailable(machine) && (readySeconds === 0 || now >= readyAt(machine, readySeconds));
}

/**
 * A machine says how its Node is called before there is one; its conditions are those of a Node
 * that has joined.
 */
export function hasJoined(machine: Machine): boolean {
  return nodeConditionsOf(machine).length > 0;
}

/** When the next Running machine will have been so for long enough, milliseconds. */
export function nextAvailableAt(
  machines: readonly Machine[],
  { now, readySeconds }: Clock,
): number | undefined {
  const times = machines
    .filter((machine) => isAvailable(machine) && machine.metadata.deletionTimestamp === undefined)
    .map((machine) => readyAt(machine, readySeconds))
    .filter((time) => time > now);
  return times.length === 0 ? undefined : Math.min(...times);
}

/**
 * When it will have run for so long, milliseconds. Times of Kubernetes are cut to whole seconds: it
 * may have begun as late as at the end of its second.
 */
function readyAt(machine: Machine, readySeconds: number): number {
  return runningSince(machine) + (1 + readySeconds) * 1000;
}

/**
 * Since its Node is Ready, and since its phase says so: the Machine becomes Running some time after
 * its Node is Ready, and the clock of a Node may be behind. Milliseconds.
 */
function runningSince({ status }: Machine): number {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const since = timeOf(ready?.lastTransitionTime) ?? 0;
  return Math.max(since, timeOf(status?.currentStatus?.lastUpdateTime) ?? 0);
}
