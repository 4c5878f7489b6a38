/** Every wait has a reason and an end: nothing stands still without a word, or for ever. */
import type { Install } from '../../world/world.ts';
import type { Evidence } from '../evidence.ts';
import {
  hasFinalizer,
  finalizer,
  isAvailable,
  isDeletable,
  isDeleting,
  phaseOf,
} from '../objects.ts';
import type { JudgedObject } from '../objects.ts';
import type { Life } from '../past/lives.ts';
import { isMachineRefused } from './states/refusals.ts';
import { openWorkflows } from './workflows.ts';
import type { OpenWorkflow } from './workflows.ts';

/** How often it is checked. Milliseconds. */
const periodMs = 60_000;
/** For so long nothing may hinder an install before it is blamed for a wait. */
const calmMs = 12 * 60_000;
/** A wait may be without a word, or without an end, for so long. */
const patienceMs = 15 * 60_000;

export function watchWaits(evidence: Evidence): void {
  new Waits(evidence).start();
}

class Waits {
  readonly #evidence: Evidence;
  /** Of machines whose workflow has stood still, by UID. */
  readonly #still = new Map<string, { mark: string; at: number }>();
  /** When a failure of a machine that cannot be written was last seen in Temporal, by UID. */
  readonly #shownAt = new Map<string, number>();

  constructor(evidence: Evidence) {
    this.#evidence = evidence;
  }

  start(): void {
    this.#evidence.simulation.after(periodMs, () => {
      this.#check();
      this.start();
    });
  }

  #check(): void {
    const { world } = this.#evidence;
    const workflows = openWorkflows(world.temporal.engine);
    for (const install of world.installs) {
      if (!isCalm(this.#evidence, install)) continue;
      for (const life of this.#evidence.controlOf(install).machines.present()) {
        const { namespace, name } = life.last.metadata;
        if (namespace !== install.namespace) continue;
        const workflow = workflows.get(`machine/${namespace}/${name}`);
        this.#judgeReason(install, life, workflow);
        this.#judgeEnd(life, workflow);
      }
    }
  }

  /**
   * The status of the object says what it waits for. While a policy makes the API server refuse
   * that write, the failure of the pending activity says it, which the Temporal UI shows.
   */
  #judgeReason(install: Install, life: Life, workflow: OpenWorkflow | undefined): void {
    const { simulation, rulings } = this.#evidence;
    const { now } = simulation;
    if (workflow?.showsFailure && isMachineRefused(this.#evidence, install, 'PATCH')(life.last)) {
      this.#shownAt.set(life.uid, now);
    }
    const isShown = now - (this.#shownAt.get(life.uid) ?? -Infinity) <= patienceMs;
    if (isShown || !life.hasBeenSince(now - patienceMs, isSilent)) return;
    const { name } = life.last.metadata;
    const text = `Machine ${name} is "${phaseOf(life.last)}", and nothing says why`;
    rulings.against('every wait has a reason', life.uid, text);
  }

  #judgeEnd(life: Life, workflow: OpenWorkflow | undefined): void {
    if (!isAwaited(life.last) || (workflow && !workflow.isIdle)) return;
    const { now } = this.#evidence.simulation;
    const mark = `${workflow?.runId} ${workflow?.events}`;
    const known = this.#still.get(life.uid);
    if (known?.mark !== mark) this.#still.set(life.uid, { mark, at: now });
    else if (now - known.at > patienceMs && !changedLately(life, now)) {
      this.#accuse(life, workflow);
    }
  }

  #accuse({ uid, last }: Life, workflow: OpenWorkflow | undefined): void {
    const whose = workflow ? 'its workflow waits for nothing' : 'no workflow runs for it';
    const text = `Machine ${last.metadata.name} is "${phaseOf(last)}", and ${whose}`;
    this.#evidence.rulings.against('every wait has an end', uid, text);
  }
}

function isCalm(evidence: Evidence, install: Install): boolean {
  const { isHindered, isSlow, isWorkerless } = evidence.authorityOf(install);
  const since = evidence.simulation.now - calmMs;
  return [isHindered, isSlow, isWorkerless].every((trace) => !trace.since(since).includes(true));
}

function isSilent(machine: JudgedObject): boolean {
  return !isAvailable(machine) && !machine.status?.lastOperation?.description;
}

/** Something is still to happen to it by itself. */
function isAwaited(machine: JudgedObject): boolean {
  if (isDeleting(machine)) return isDeletable(machine);
  const { spec } = machine;
  const phase = phaseOf(machine);
  if (phase === 'Unknown') return spec?.disableHealthTimeout !== true;
  return ['', 'Pending', 'CrashLoopBackOff'].includes(phase) || !hasFinalizer(machine, finalizer);
}

function changedLately({ states }: Life, now: number): boolean {
  return states.momentsSince(now - patienceMs).length > 1;
}
