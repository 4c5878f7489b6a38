/**
 * Records every state that the Machines of a namespace pass through, as a watch of the API server
 * tells them, and checks what must hold in all of them. The watch of one resource is in order, so
 * that each state is one that really was; sets come by a watch of their own, so that their `wanted`
 * may be a moment early or late.
 */
import type { Counts, Moment, SetState, State } from './states.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { customResource } from '../../../kube/client/paths.ts';
import { annotations } from '../../../workflows/api/constants.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { checkBounds, type Bounds } from './bounds-check.ts';
import { eventually } from '../../support/eventually.ts';
import { LiveList } from './live-list.ts';

interface MachineView {
  name: string;
  set: string;
  isDeleting: boolean;
  phase: string;
}

interface SetView {
  name: string;
  wanted: number;
  revision?: string;
}

export class StateRecorder {
  readonly states: State[] = [];
  /** Every name that a Machine ever had. */
  readonly machineNames = new Set<string>();
  readonly #machines: LiveList<Machine, MachineView>;
  readonly #sets: LiveList<MachineSet, SetView>;
  readonly #listed = new Set<string>();

  /** Begins at once; `started` says when the first state is in. */
  constructor(kube: KubeClient, namespace: string) {
    this.#sets = new LiveList<MachineSet, SetView>({
      kube,
      path: customResource('machinesets', namespace),
      project: viewOfSet,
      onChange: (type, set) =>
        this.#note('MachineSet', set && `${set.name} ${wordsOfSet(type, set)}`),
    });
    this.#machines = new LiveList<Machine, MachineView>({
      kube,
      path: customResource('machines', namespace),
      project: viewOfMachine,
      onChange: (type, machine) =>
        this.#note('Machine', machine && `${machine.name} ${wordsOfMachine(type, machine)}`),
    });
  }

  async started(): Promise<void> {
    await Promise.all([this.#sets.synced, this.#machines.synced]);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#sets.stop(), this.#machines.stop()]);
  }

  /** `await using recorder = ...` stops it however a test ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** The present state counts as the first one of the moment. */
  mark(): Moment {
    return Math.max(this.states.length - 1, 0);
  }

  /**
   * The moment at which the recorder itself sees it, which may be later than another reader does.
   */
  async markWhen(what: string, holds: (state: State) => boolean): Promise<Moment> {
    const from = this.mark();
    const look = (): Moment => {
      const found = this.states.findIndex((state, index) => index >= from && holds(state));
      if (found === -1) throw new Error(this.summary());
      return found;
    };
    return await eventually(what, look, { pollMilliseconds: 10 });
  }

  /**
   * Throws with the first state that is out of bounds and the one before it. Returns how many
   * states were looked at.
   */
  expectBounds(bounds: Bounds): number {
    return checkBounds(this.states, bounds);
  }

  /** Lowest availability and highest total since a moment; default since the beginning. */
  extremes(from: Moment = 0): { minAvailable: number; maxTotal: number } {
    const states = this.states.slice(from);
    return {
      minAvailable: Math.min(...states.map(({ available }) => available)),
      maxTotal: Math.max(...states.map(({ total }) => total)),
    };
  }

  /** When it became so for the first time, milliseconds. Throws when it never did. */
  timeOf(what: string, holds: (state: State) => boolean): number {
    const found = this.states.find(holds);
    if (found === undefined) throw new Error(`never: ${what}. ${this.summary()}`);
    return found.at.getTime();
  }

  /** In words: how many states were seen, and the last one. */
  summary(): string {
    const { available, total } = this.states.at(-1) ?? { available: 0, total: 0 };
    return `${this.states.length} states seen; the last one: ${total} machines, ${available} available`;
  }

  /** `words` are undefined for a list, which may have brought anything. */
  #note(kind: string, words: string | undefined): void {
    if (words === undefined) this.#listed.add(kind);
    // The other resource's first list is still on its way: nothing is known yet.
    if (this.#listed.size < 2) return;
    for (const name of this.#machines.items.keys()) this.machineNames.add(name);
    const cause = `${kind} ${words ?? 'list'}`;
    this.states.push(stateOf(cause, this.#machines.items, this.#sets.items));
  }
}

function stateOf(
  cause: string,
  machines: ReadonlyMap<string, MachineView>,
  known: ReadonlyMap<string, SetView>,
): State {
  const sets: Record<string, SetState> = {};
  for (const { name, wanted, revision } of known.values()) {
    sets[name] = { ...nothing(), wanted, ...(revision !== undefined && { revision }) };
  }
  const all = nothing();
  for (const machine of machines.values()) {
    add(all, machine);
    add((sets[machine.set] ??= nothing()), machine);
  }
  return { at: new Date(), cause, ...all, sets };
}

const nothing = (): Counts => ({ total: 0, active: 0, available: 0 });

function add(counts: Counts, { isDeleting, phase }: MachineView): void {
  counts.total += 1;
  if (isDeleting) return;
  counts.active += 1;
  if (phase === 'Running' || phase === 'Available') counts.available += 1;
}

function viewOfMachine({ metadata, status }: Machine): MachineView {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return {
    name: metadata.name,
    set: owner?.name ?? '(none)',
    isDeleting: metadata.deletionTimestamp !== undefined,
    phase: status?.currentStatus?.phase ?? '',
  };
}

function viewOfSet({ metadata, spec }: MachineSet): SetView {
  const revision = metadata.annotations?.[annotations.revision];
  return {
    name: metadata.name,
    wanted: spec.replicas ?? 0,
    ...(revision !== undefined && { revision }),
  };
}

const wordsOfMachine = (type: string, { phase, isDeleting }: MachineView): string =>
  type === 'gone'
    ? 'gone'
    : `${phase === '' ? '(no phase)' : phase}${isDeleting ? ' being deleted' : ''}`;

const wordsOfSet = (type: string, { wanted }: SetView): string =>
  type === 'gone' ? 'gone' : `wants ${wanted}`;
