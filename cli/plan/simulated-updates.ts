/** Updates in place in memory: Nodes are drained, and agents succeed. */
import type { Selection } from '../../activities/machine-deployment/in-place-facts.ts';
import { nodeOf } from '../../activities/machine-deployment/machines.ts';
import { ownerReferenceOf } from '../../activities/machine-set/ownership.ts';
import type { Node } from '../../kube/objects/nodes.ts';
import { labels } from '../../workflows/api/constants.ts';
import type { InPlaceReason } from '../../workflows/api/in-place.ts';
import { inPlaceReasonOf, inPlaceUpdate } from '../../workflows/api/in-place.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { MachinePhase } from '../../workflows/api/phases.ts';
import type {
  InPlaceStep,
  NodeStep,
} from '../../workflows/plan/machine-deployment/rollout/steps.ts';

/** Times in milliseconds. */
export interface UpdatePace {
  /** From the selection of a Node until it is drained. */
  drain: number;
  /** Until the agent has updated it. */
  update: number;
}

interface SimulatedWorld {
  machine(name: string): Machine | undefined;
  machines(): Iterable<Machine>;
  set(name: string): MachineSet | undefined;
  patchMachine(name: string, patch: object): void;
  after(ms: number, act: () => void): void;
  /** What is left of a time that began then, milliseconds. */
  rest(ms: number, since: string): number;
  /** RFC 3339. */
  time(): string;
  note(kind: 'select' | 'update' | 'unmark', machines: readonly Machine[]): void;
}

export class SimulatedUpdates {
  readonly #world: SimulatedWorld;
  readonly #pace: UpdatePace;

  constructor(world: SimulatedWorld, pace: UpdatePace) {
    this.#world = world;
    this.#pace = pace;
  }

  /** For a machine whose update is under way already. */
  expect(machine: Machine): void {
    const reason = reasonOf(machine);
    const { name, creationTimestamp } = machine.metadata;
    const condition = machine.status?.conditions?.find(({ type }) => type === inPlaceUpdate);
    const since = condition?.lastTransitionTime ?? creationTimestamp;
    const { drain, update } = this.#pace;
    if (reason === 'SelectedForUpdate')
      this.#world.after(this.#world.rest(drain, since), () => this.#drained(name));
    else if (reason === 'DrainSuccessful' || reason === 'ReadyForUpdate')
      this.#world.after(this.#world.rest(update, since), () => this.#updated(name));
  }

  /** The Nodes that the planner would list. */
  selection(): Selection {
    const nodes = [...this.#world.machines()].filter(isSelected).map(nodeFor);
    return { nodes: new Map(nodes.map((node) => [node.metadata.name, node])) };
  }

  /** True if anything changed. Taints, and marks for an autoscaler, decide nothing. */
  apply(step: NodeStep | undefined): boolean {
    if (!step || !('machines' in step)) return false;
    const machines = step.machines.flatMap((name) => this.#world.machine(name) ?? []);
    const chosen = step.action === 'selectForUpdate' ? this.#within(machines, step.most) : machines;
    this.#applyTo(chosen, step);
    return chosen.length > 0;
  }

  #applyTo(machines: readonly Machine[], step: InPlaceStep): void {
    switch (step.action) {
      case 'markCandidates':
        return this.#say(machines, 'CandidateForUpdate');
      case 'unmarkNodes':
        this.#world.note('unmark', machines);
        return this.#say(machines, undefined);
      case 'selectForUpdate':
        return this.#select(machines);
      case 'moveMachines':
        return this.#move(machines, step.to);
      case 'tidyUpdated':
        this.#say(machines, undefined);
        for (const { metadata, status } of machines) {
          const isNews = status?.currentStatus?.phase === 'InPlaceUpdateSuccessful';
          this.#world.patchMachine(metadata.name, {
            metadata: { labels: { [labels.updateResult]: null } },
            ...(isNews && this.#inPhase('Running')),
          });
        }
    }
  }

  /** @param most Machines that may be selected and not updated yet, in all. */
  #within(machines: readonly Machine[], most: number): readonly Machine[] {
    const busy = [...this.#world.machines()].filter(
      (machine) => isSelected(machine) && isUnanswered(machine) && !isGoing(machine),
    );
    return machines.slice(0, Math.max(most - busy.length, 0));
  }

  #select(machines: readonly Machine[]): void {
    this.#world.note('select', machines);
    this.#say(machines, 'SelectedForUpdate');
    for (const { metadata } of machines) {
      this.#world.after(this.#pace.drain, () => this.#drained(metadata.name));
    }
  }

  #move(machines: readonly Machine[], to: string): void {
    const set = this.#world.set(to);
    if (!set) return;
    for (const { metadata } of machines) {
      this.#world.patchMachine(metadata.name, {
        metadata: {
          ownerReferences: [ownerReferenceOf(set)],
          labels: { ...set.spec.selector?.matchLabels, [labels.updateResult]: 'successful' },
        },
        ...this.#inPhase('Running'),
      });
    }
  }

  /** Each only if nothing else became of the machine meanwhile. */
  #drained(name: string): void {
    const machine = this.#world.machine(name);
    if (!machine || reasonOf(machine) !== 'SelectedForUpdate' || isGoing(machine)) return;
    this.#say([machine], 'ReadyForUpdate');
    this.#world.patchMachine(name, this.#inPhase('InPlaceUpdating'));
    this.#world.after(this.#pace.update, () => this.#updated(name));
  }

  #updated(name: string): void {
    const machine = this.#world.machine(name);
    if (!machine || reasonOf(machine) !== 'ReadyForUpdate' || isGoing(machine)) return;
    this.#say([machine], 'UpdateSuccessful');
    this.#world.patchMachine(name, this.#inPhase('InPlaceUpdateSuccessful'));
    this.#world.note('update', [machine]);
  }

  #say(machines: readonly Machine[], reason: InPlaceReason | undefined): void {
    for (const { metadata, status } of machines) {
      const others = status?.conditions?.filter(({ type }) => type !== inPlaceUpdate) ?? [];
      const lastTransitionTime = this.#world.time();
      const said = { type: inPlaceUpdate, status: 'True' as const, reason, lastTransitionTime };
      const conditions = reason ? [...others, said] : others;
      this.#world.patchMachine(metadata.name, { status: { conditions } });
    }
  }

  #inPhase(phase: MachinePhase): object {
    return { status: { currentStatus: { phase, lastUpdateTime: this.#world.time() } } };
  }
}

/** A Machine that has been Running has a Node: one that names none gets one. */
export function withNode(machine: Machine): Machine {
  const { metadata, status } = machine;
  const hasRun = !['', 'Pending', 'CrashLoopBackOff'].includes(status?.currentStatus?.phase ?? '');
  if (!hasRun || (status?.conditions?.length && nodeOf(machine))) return machine;
  const lastTransitionTime = metadata.creationTimestamp;
  const ready = { type: 'Ready', status: 'True' as const, lastTransitionTime };
  return {
    ...machine,
    metadata: { ...metadata, labels: { [labels.node]: metadata.name, ...metadata.labels } },
    status: { ...status, conditions: status?.conditions ?? [ready] },
  };
}

const reasonOf = ({ status }: Machine): InPlaceReason | undefined =>
  inPlaceReasonOf(status?.conditions);

const isGoing = ({ metadata }: Machine): boolean => metadata.deletionTimestamp !== undefined;

/** The condition of an update that is over stays, the label on the Node does not. */
function isSelected(machine: Machine): boolean {
  const reason = reasonOf(machine);
  if (reason === undefined || reason === 'CandidateForUpdate') return false;
  return reason !== 'UpdateSuccessful' || !isUnanswered(machine);
}

function isUnanswered({ metadata, status }: Machine): boolean {
  const hasMoved = metadata.labels?.[labels.updateResult] !== undefined;
  return !hasMoved && status?.currentStatus?.phase !== 'InPlaceUpdateSuccessful';
}

function nodeFor(machine: Machine): Node {
  const { metadata, spec, status } = machine;
  const reason = reasonOf(machine);
  const result = reason === 'UpdateSuccessful' ? { [labels.updateResult]: 'successful' } : {};
  const held = { [labels.candidateForUpdate]: 'true', [labels.selectedForUpdate]: 'true' };
  return {
    metadata: {
      name: nodeOf(machine) ?? metadata.name,
      uid: metadata.uid,
      resourceVersion: '0',
      creationTimestamp: metadata.creationTimestamp,
      labels: { ...held, ...result },
    },
    spec: { ...(spec.providerID !== undefined && { providerID: spec.providerID }) },
    status: { conditions: status?.conditions ?? [] },
  };
}
