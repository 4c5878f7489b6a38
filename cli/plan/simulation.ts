/**
 * A rollout in memory: the planners of the workflows decide, and time passes until machines come
 * and go. Nothing fails, and no other client writes: both may happen between two parts.
 */
import type { RolloutTerms } from '../../activities/disruption/gate.ts';
import { withSurge } from '../../activities/disruption/gate.ts';
import type { DeploymentView } from '../../activities/machine-deployment/facts.ts';
import { factsOf } from '../../activities/machine-deployment/facts.ts';
import {
  newSetNamed,
  newSetOf,
  scaledAtNote,
  scalingAnnotations,
  syncPatchOf,
} from '../../activities/machine-deployment/new-set.ts';
import { rollbackPatchOf } from '../../activities/machine-deployment/rollback.ts';
import { reportOf } from '../../activities/machine-deployment/status.ts';
import { deletionFactsOf } from '../../activities/machine-set/deletions.ts';
import { desiredMachinesOf } from '../../activities/machine-set/desired.ts';
import { isAvailable } from '../../activities/machine-set/facts.ts';
import { machineOf } from '../../activities/machine-set/new-machine.ts';
import { statusOf } from '../../activities/machine-set/status.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import { defined } from '../../workflows/values/defined.ts';
import type { MachineDeploymentState } from '../../workflows/machine-deployment/state.ts';
import { noteFinished } from '../../workflows/machine-deployment/state.ts';
import { timestamp } from '../../kube/objects/time.ts';
import { annotations, apiVersion, labels, options } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import {
  canaryToPass,
  currentHold,
  planMachineDeployment,
  refusalOf,
} from '../../workflows/plan/machine-deployment/plan.ts';
import { withLimitedSince } from '../../workflows/plan/machine-deployment/rollout/gate.ts';
import type {
  DeploymentPlan,
  DeploymentStep,
  WaveStep,
} from '../../workflows/plan/machine-deployment/rollout/steps.ts';
import {
  passedAnnotations,
  waveAnnotations,
} from '../../workflows/plan/machine-deployment/rollout/waves.ts';
import {
  burst,
  countFailed,
  isPresent,
  machinesToDelete,
} from '../../workflows/plan/machine-set/deletions.ts';
import { planMachineSet } from '../../workflows/plan/machine-set/plan.ts';
import { updatesInPlace } from '../../activities/disruption/going.ts';
import { factOf } from '../../activities/machine-set/facts.ts';
import type { DeploymentObjects } from '../objects/deployment-view.ts';
import { viewOf } from '../objects/deployment-view.ts';
import { patched } from './patched.ts';
import type { UpdatePace } from './simulated-updates.ts';
import { SimulatedUpdates, withNode } from './simulated-updates.ts';

/** Times in milliseconds. */
export interface SimulatedPace extends UpdatePace {
  creation: number;
  deletion: number;
}

export interface Happening {
  /** Milliseconds since the change. */
  at: number;
  kind:
    | 'createSet'
    | 'scaleSet'
    | 'create'
    | 'delete'
    | 'running'
    | 'gone'
    | 'select'
    | 'update'
    | 'unmark'
    | 'hold'
    | 'wait'
    | 'passWave'
    | 'rollBack'
    | 'refuseRollback'
    | 'deleteSets';
  /** Name of the MachineSet; for a hold: what it waits for. */
  subject: string;
  /** How many machines, or how many the set is to have. */
  count: number;
  /** Names of the machines; those of new ones are not known yet. */
  names: string[];
  /** Why the planner of the deployment decided it. */
  reason?: string;
}

export interface SimulatedRollout {
  happenings: Happening[];
  /** As they are in the end. */
  objects: Required<DeploymentObjects>;
  /** When it would go on, milliseconds; absent when nothing comes by itself. */
  nextAt?: number;
  /** Last words of the planners. */
  plan: DeploymentPlan;
  tookMs: number;
  created: number;
  deleted: number;
  /** In place. */
  updated: number;
  mostMachines: number;
  fewestAvailable: number;
  /** It did not come to an end within what is simulated. */
  isCut: boolean;
  remembered: KnownRollout;
}

/** What a run of the workflow knows beside the objects. */
export type KnownRollout = Pick<MachineDeploymentState, 'finished' | 'lastFinished' | 'facts'>;

/** What DisruptionPolicies allow at a time, in milliseconds; undefined where there is none. */
export type SimulatedPolicies = (
  objects: Required<DeploymentObjects>,
  now: number,
) => RolloutTerms | undefined;

const turnsMax = 20_000;

type StepOf<Action extends DeploymentStep['action']> = Extract<DeploymentStep, { action: Action }>;

/** Milliseconds; what happens at either of both belongs to it. */
interface SimulationPart {
  now: number;
  /** Default: the end, or where others would have to act; a person approves a canary. */
  until?: number;
  policies?: SimulatedPolicies;
  /** Of an earlier part. */
  remembered?: KnownRollout;
}

/** Begins anew, or goes on from what an earlier part or another client made of the objects. */
export function simulate(
  objects: Required<DeploymentObjects>,
  pace: SimulatedPace,
  part: SimulationPart,
): SimulatedRollout {
  return new Simulation(objects, pace, part).run();
}

interface SimulatedTimer {
  at: number;
  act(): void;
}

class Simulation {
  readonly #pace: SimulatedPace;
  readonly #start: number;
  readonly #until: number;
  readonly #happenings: Happening[] = [];
  readonly #sets = new Map<string, MachineSet>();
  readonly #machines = new Map<string, Machine>();
  /** For each set by its UID, as long as none of them changes. */
  readonly #members = new Map<string, Machine[]>();
  /** Sets with the status of these members. */
  readonly #reported = new WeakMap<MachineSet, Machine[]>();
  /** Machines have changed since they were counted. */
  #isNewCount = true;
  #deployment: MachineDeployment;
  readonly #policies: SimulatedPolicies | undefined;
  readonly #updates: SimulatedUpdates;
  readonly #remembered: KnownRollout;
  #now: number;
  #nextAt: number | undefined;
  #timers: SimulatedTimer[] = [];
  #made = 0;
  #deleted = 0;
  #updated = 0;
  #most = 0;
  #fewest = Infinity;

  constructor(
    { deployment, sets, machines }: Required<DeploymentObjects>,
    pace: SimulatedPace,
    { now, until = Infinity, policies, remembered = {} }: SimulationPart,
  ) {
    this.#deployment = deployment;
    this.#pace = pace;
    this.#start = now;
    this.#until = until;
    this.#policies = policies;
    this.#remembered = { ...remembered };
    this.#now = now;
    this.#updates = this.#newUpdates();
    const isInPlace = updatesInPlace(deployment);
    for (const set of sets) this.#sets.set(set.metadata.name, set);
    for (const machine of machines) {
      this.#machines.set(machine.metadata.name, isInPlace ? withNode(machine) : machine);
      this.#expect(machine);
    }
  }

  run(): SimulatedRollout {
    let plan = this.#plan();
    let turns = 0;
    for (; turns < turnsMax; turns += 1) {
      const acts = [this.#apply(plan.steps), this.#updates.apply(plan.nodeStep)];
      const isChanged = acts.includes(true) || this.#scaleSets();
      this.#count();
      if (!isChanged && !this.#passHold(plan) && !this.#advance(plan)) break;
      plan = this.#plan();
    }
    return {
      happenings: this.#happenings,
      objects: this.#objects(),
      ...(this.#nextAt !== undefined && { nextAt: this.#nextAt }),
      plan,
      tookMs: this.#now - this.#start,
      created: this.#made,
      deleted: this.#deleted,
      updated: this.#updated,
      mostMachines: this.#most,
      fewestAvailable: this.#fewest,
      isCut: turns === turnsMax,
      remembered: this.#remembered,
    };
  }

  #objects(): Required<DeploymentObjects> {
    return {
      deployment: this.#deployment,
      sets: [...this.#sets.values()],
      machines: [...this.#machines.values()],
    };
  }

  /** For a machine that is on its way already. */
  #expect(machine: Machine): void {
    const { metadata, status } = machine;
    const { name, creationTimestamp, deletionTimestamp } = metadata;
    const phase = status?.currentStatus?.phase ?? '';
    if (deletionTimestamp !== undefined)
      this.#after(this.#rest(this.#pace.deletion, deletionTimestamp), () => this.#end(name));
    else if (['', 'Pending', 'CrashLoopBackOff'].includes(phase))
      this.#after(this.#rest(this.#pace.creation, creationTimestamp), () => this.#join(name));
    else this.#updates.expect(machine);
  }

  #newUpdates(): SimulatedUpdates {
    const world = {
      machine: (name: string) => this.#machines.get(name),
      machines: () => this.#machines.values(),
      set: (name: string) => this.#sets.get(name),
      patchMachine: (name: string, patch: object) => this.#patchMachine(name, patch),
      after: (ms: number, act: () => void) => this.#after(ms, act),
      rest: (ms: number, since: string) => this.#rest(ms, since),
      time: () => this.#time(),
      note: (kind: 'select' | 'update' | 'unmark', machines: readonly Machine[]) =>
        this.#noteUpdate(kind, machines),
    };
    return new SimulatedUpdates(world, this.#pace);
  }

  #noteUpdate(kind: 'select' | 'update' | 'unmark', machines: readonly Machine[]): void {
    if (kind === 'update') this.#updated += machines.length;
    const names = machines.map(({ metadata }) => metadata.name);
    const subject = machines[0] ? (controllerOf(machines[0])?.name ?? '') : '';
    if (names.length > 0) this.#note({ kind, subject, count: names.length, names });
  }

  /** If it takes longer already, nothing is known: as long once more. */
  #rest(ms: number, since: string): number {
    const passed = this.#now - Date.parse(since);
    return passed > 0 && passed < ms ? ms - passed : ms;
  }

  #after(ms: number, act: () => void): void {
    this.#timers.push({ at: this.#now + ms, act });
  }

  /** All machines are of the deployment's sets: its selector need not be asked. */
  #view(): DeploymentView {
    const objects = { deployment: this.#deployment, sets: [...this.#sets.values()] };
    const view = { ...viewOf(objects, this.#now), machines: [...this.#machines.values()] };
    if (!updatesInPlace(this.#deployment)) return view;
    return { ...view, selection: this.#updates.selection() };
  }

  #plan(): DeploymentPlan {
    for (const set of this.#sets.values()) this.#report(set);
    const view = this.#view();
    const { finished, lastFinished: finishedSet = finished, facts: before } = this.#remembered;
    const { gate, surge } = this.#policies?.(this.#objects(), this.#now) ?? {};
    const deployment = surge === undefined ? view.deployment : withSurge(view.deployment, surge);
    const known = { gate, finishedSet: gate && finishedSet };
    const facts = defined({ ...factsOf({ ...view, deployment }), ...known });
    const refusal = refusalOf(facts);
    const hold = currentHold(facts, this.#now);
    const { status, progress } = reportOf({
      ...view,
      ...(refusal && { refusal }),
      ...(hold && { holdReason: hold.reason }),
    });
    this.#deployment = { ...this.#deployment, status };
    const read = withLimitedSince(before, { ...facts, progress }, this.#now);
    this.#remembered.facts = read;
    noteFinished(this.#remembered, read);
    return planMachineDeployment(read, this.#now);
  }

  #report(set: MachineSet): void {
    const members = this.#membersOf(set);
    if (this.#reported.get(set) === members) return;
    const reported = { ...set, status: statusOf(set, members, undefined) };
    this.#sets.set(set.metadata.name, reported);
    this.#reported.set(reported, members);
  }

  #membersOf({ metadata: { uid } }: MachineSet): Machine[] {
    const known = this.#members.get(uid);
    if (known) return known;
    const members = [...this.#machines.values()].filter(
      (machine) => controllerOf(machine)?.uid === uid,
    );
    this.#members.set(uid, members);
    return members;
  }

  #put(machine: Machine): void {
    this.#machines.set(machine.metadata.name, machine);
    this.#forget(machine);
  }

  #forget(machine: Machine): void {
    this.#members.delete(controllerOf(machine)?.uid ?? '');
    this.#isNewCount = true;
  }

  #apply(steps: readonly DeploymentStep[]): boolean {
    return steps.map((step) => this.#applyOne(step)).includes(true);
  }

  /** True if anything changed. Marks of the autoscaler are no part of a plan. */
  #applyOne(step: DeploymentStep): boolean {
    if (step.action === 'createSet') return this.#createSet(step);
    if (step.action === 'scaleSet') return this.#scaleSet(step);
    if (step.action === 'syncSet') return this.#syncSet(step);
    if (step.action === 'closeSet') {
      const value = step.isClosed ? 'true' : null;
      return this.#patchSet(step.name, {
        metadata: { labels: { [labels.scaleUpDisabled]: value } },
      });
    }
    if (step.action === 'grantReplacements') {
      const notes = { [annotations.replacements]: step.machines?.join(',') ?? null };
      return this.#patchSet(step.set, { metadata: { annotations: notes } });
    }
    if (step.action === 'deleteSets') return this.#deleteSets(step);
    return this.#applyOwn(step);
  }

  /** Changes the deployment itself. */
  #applyOwn(step: DeploymentStep): boolean {
    if (step.action === 'rollBack') return this.#rollBack(step);
    if (step.action === 'refuseRollback') return this.#refuseRollback(step);
    if (step.action === 'noteWave' || step.action === 'passWave') return this.#applyWave(step);
    return this.#noteGivenUp(step);
  }

  #rollBack({ set: subject, reason }: StepOf<'rollBack'>): boolean {
    const set = this.#sets.get(subject);
    if (!set) return false;
    this.#note({ kind: 'rollBack', subject, count: 0, reason });
    return this.#patchOwn(rollbackPatchOf(this.#deployment, set));
  }

  #refuseRollback({ reason }: StepOf<'refuseRollback'>): boolean {
    this.#note({ kind: 'refuseRollback', subject: '', count: 0, reason });
    return this.#patchOwn({ spec: { rollbackTo: null } });
  }

  #noteGivenUp(step: DeploymentStep): boolean {
    if (step.action !== 'giveUp' && step.action !== 'forgetGivenUp') return false;
    const isGivenUp = step.action === 'giveUp';
    if (isGivenUp)
      this.#note({ kind: 'rollBack', subject: step.onto, count: 0, reason: step.reason });
    const notes = { [options.rolledBackFrom]: isGivenUp ? step.set : null };
    return this.#patchOwn({ metadata: { annotations: notes } });
  }

  #applyWave(step: WaveStep): boolean {
    if (step.action === 'passWave')
      this.#note({ kind: 'passWave', subject: '', count: 0, reason: step.reason });
    return this.#patchOwn({ metadata: { annotations: waveAnnotations(step, timestamp) } });
  }

  #patchOwn(patch: object): true {
    this.#deployment = patched(this.#deployment, patch);
    return true;
  }

  #scaleSet({ name, from, replicas, scaledAt, reason }: StepOf<'scaleSet'>): boolean {
    const { replicas: desired = 0, maxSurge = 0 } = this.#remembered.facts ?? {};
    const scaling = scalingAnnotations(desired, desired + maxSurge);
    const notes = { ...scaling, ...scaledAtNote(scaledAt) };
    if (from !== replicas) this.#note({ kind: 'scaleSet', subject: name, count: replicas, reason });
    return this.#patchSet(name, { metadata: { annotations: notes }, spec: { replicas } });
  }

  #syncSet({ name, revision }: StepOf<'syncSet'>): boolean {
    const set = this.#sets.get(name);
    const patch = set && syncPatchOf(this.#deployment, set, revision);
    return patch !== undefined && this.#patchSet(name, patch);
  }

  #deleteSets({ names, reason }: StepOf<'deleteSets'>): boolean {
    for (const name of names) this.#sets.delete(name);
    this.#note({ kind: 'deleteSets', subject: names.join(', '), count: 0, reason });
    return true;
  }

  #createSet({ name, replicas, revision, reason }: StepOf<'createSet'>): boolean {
    const named = newSetNamed(this.#deployment, name);
    if (!named) return false;
    const sent = newSetOf(this.#deployment, { ...named, replicas, revision });
    const metadata = { ...this.#bornNow(name), generation: 1 };
    const blank: MachineSet = { apiVersion, kind: 'MachineSet', metadata, spec: {} };
    this.#sets.set(name, patched(blank, sent));
    this.#note({ kind: 'createSet', subject: name, count: replicas, reason });
    return true;
  }

  #bornNow(name: string) {
    return { name, uid: `new-${name}`, creationTimestamp: this.#time(), resourceVersion: '0' };
  }

  #patchSet(name: string, patch: object): boolean {
    const set = this.#sets.get(name);
    if (set) this.#sets.set(name, patched(set, patch));
    return set !== undefined;
  }

  #scaleSets(): boolean {
    return [...this.#sets.values()].map((set) => this.#scale(set)).includes(true);
  }

  #scale(set: MachineSet): boolean {
    const members = this.#membersOf(set);
    const desired = desiredMachinesOf(set);
    const facts = deletionFactsOf(set, { desired, members }, this.#now);
    const observation = {
      desired,
      total: members.length,
      present: facts.machines.filter(isPresent).length,
      failed: countFailed(facts),
      toDelete: machinesToDelete(facts),
    };
    const step = planMachineSet({ observation, createdSince: 0, batchSize: burst }, this.#now);
    if (step.action === 'create') this.#create(set, step.count);
    else if (step.action === 'delete') this.#delete(set, step.names);
    else return false;
    return true;
  }

  #create(set: MachineSet, count: number): void {
    for (let index = 0; index < count; index += 1) {
      this.#made += 1;
      const name = this.#freeName(set.metadata.name);
      const metadata = this.#bornNow(name);
      const blank: Machine = { apiVersion, kind: 'Machine', metadata, spec: {} };
      this.#put(patched(blank, machineOf(set, name)));
      this.#after(this.#pace.creation, () => this.#join(name));
    }
    this.#note({ kind: 'create', subject: set.metadata.name, count });
  }

  #freeName(set: string): string {
    let index = this.#made;
    while (this.#machines.has(`${set}-new-${index}`)) index += 1;
    return `${set}-new-${index}`;
  }

  #delete(set: MachineSet, names: readonly string[]): void {
    for (const name of names) {
      this.#deleted += 1;
      this.#patchMachine(name, { metadata: { deletionTimestamp: this.#time() } });
      this.#after(this.#pace.deletion, () => this.#end(name));
    }
    this.#note({ kind: 'delete', subject: set.metadata.name, count: names.length, names });
  }

  #patchMachine(name: string, patch: object): void {
    const machine = this.#machines.get(name);
    if (!machine) return;
    // It may change hands.
    this.#forget(machine);
    this.#put(patched(machine, patch));
  }

  #join(name: string): void {
    const machine = this.#machines.get(name);
    if (!machine || !isPresent(factOf(machine))) return;
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: this.#time() }];
    const currentStatus = { phase: 'Running', lastUpdateTime: this.#time() };
    const node = { metadata: { labels: { [labels.node]: name } } };
    this.#patchMachine(name, { ...node, status: { conditions, currentStatus } });
    this.#note({
      kind: 'running',
      subject: controllerOf(machine)?.name ?? '',
      count: 1,
      names: [name],
    });
  }

  #end(name: string): void {
    const machine = this.#machines.get(name);
    if (!this.#machines.delete(name) || !machine) return;
    this.#forget(machine);
    this.#note({
      kind: 'gone',
      subject: controllerOf(machine)?.name ?? '',
      count: 1,
      names: [name],
    });
  }

  /**
   * A person checks the first machines, and resumes; how long that takes is not counted. Who asks
   * for a part knows when that is.
   */
  #passHold({ blockedBy, reason, heldUntil }: DeploymentPlan): boolean {
    const isOfPerson = blockedBy === 'canary' && heldUntil === undefined;
    if (!isOfPerson || this.#timers.length > 0 || this.#until < Infinity) return false;
    const canary = canaryToPass(factsOf(this.#view()), this.#now);
    if (!canary) return false;
    this.#note({ kind: 'hold', subject: reason, count: 0 });
    return this.#patchOwn({ metadata: { annotations: passedAnnotations(canary) } });
  }

  /** To the next moment at which something may change; false when there is none. */
  #advance({ until, blockedBy, reason }: DeploymentPlan): boolean {
    const waits = [until, this.#remembered.facts?.nextAvailableAt]
      .filter((at) => at !== undefined)
      .filter((at) => at > this.#now);
    // A timer may be due now: machines that were Ready within a second make a pace of 0.
    const next = Math.min(...this.#timers.map(({ at }) => at), ...waits);
    this.#nextAt = next === Infinity ? undefined : next;
    if (next === Infinity || next > this.#until) return false;
    const isWait = blockedBy?.startsWith('DisruptionPolicy/') ?? false;
    if (isWait && this.#isEndless()) return false;
    if (isWait && this.#happenings.at(-1)?.subject !== reason) {
      this.#note({ kind: 'wait', subject: reason, count: 0 });
    }
    this.#now = next;
    const due = this.#timers.filter(({ at }) => at <= next);
    this.#timers = this.#timers.filter(({ at }) => at > next);
    for (const { act } of due) act();
    return true;
  }

  /** It waits for machines of others; those that are on their way now are there by then. */
  #isEndless(): boolean {
    const { closed, until } = this.#remembered.facts?.gate ?? {};
    const ends = closed?.until ?? until;
    const isLong = this.#now - this.#start > this.#pace.deletion;
    return this.#timers.length === 0 && ends === undefined && isLong;
  }

  #count(): void {
    if (!this.#isNewCount) return;
    this.#isNewCount = false;
    const own = [...this.#sets.values()].flatMap((set) => this.#membersOf(set));
    const available = own.filter((one) => isAvailable(one) && isPresent(factOf(one)));
    this.#most = Math.max(this.#most, own.length);
    this.#fewest = Math.min(this.#fewest, available.length);
  }

  #note(happening: Omit<Happening, 'at' | 'names'> & { names?: readonly string[] }): void {
    const { names = [], ...rest } = happening;
    this.#happenings.push({ ...rest, at: this.#now - this.#start, names: [...names] });
  }

  #time(): string {
    return timestamp(this.#now);
  }
}
