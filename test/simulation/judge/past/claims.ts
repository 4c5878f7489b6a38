/** Which Machine an instance belongs to, over time (docs/safety.md, the table of orphans). */
import { isDeletable, isDeleting, uidTag } from '../objects.ts';
import type { JudgedObject } from '../objects.ts';
import type { JudgedInstance } from '../judged-cloud.ts';
import type { Life, Lives } from './lives.ts';
import { Trace } from './trace.ts';

export interface Claim {
  /** A Machine that is not being deleted has it: it must stay. */
  isKept: boolean;
  /**
   * One has it by its name alone. That keeps no instance whose own Machine was being deleted: its
   * teardown goes on when another comes under the name, and that one gets an instance of its own.
   */
  isKeptByName: boolean;
  /** A Machine has it, also one that is being deleted: it is no orphan. */
  isClaimed: boolean;
  /** The workflow of a Machine may delete it. */
  isCondemned: boolean;
}

export class InstanceLife {
  readonly record: JudgedInstance;
  readonly isKept: Trace<boolean>;
  /** A Machine has it. */
  readonly isClaimed: Trace<boolean>;
  wasCondemned: boolean;

  constructor(record: JudgedInstance, claim: Claim, at: number) {
    this.record = record;
    this.isKept = new Trace(at, claim.isKept || claim.isKeptByName);
    this.isClaimed = new Trace(at, claim.isClaimed);
    this.wasCondemned = false;
    this.note(claim, at);
  }

  note({ isKept, isKeptByName, isClaimed, isCondemned }: Claim, at: number): void {
    this.isKept.set(at, isKept || (isKeptByName && !this.wasCondemned));
    this.isClaimed.set(at, isClaimed);
    if (isCondemned) this.wasCondemned = true;
  }
}

/** By the Machines of its namespace, as they are. */
export function claimOn(
  record: JudgedInstance,
  namespace: string,
  { machines, naming }: { machines: Lives; naming: Iterable<Life> },
): Claim {
  const named = Array.from(naming, ({ object }) => object);
  const own = machines.of(record.tags[uidTag])?.last;
  const ofName = machines.named(namespace, record.name)?.object;
  const present = machines.of(record.tags[uidTag])?.object;
  const candidates = [present, ofName].filter((machine) => machine !== undefined);
  const claiming = candidates.filter((machine) => !machine.spec?.providerID || isDeleting(machine));
  const all = [...named, ...claiming].filter((machine) => machine !== undefined);
  const isByName = (machine: JudgedObject): boolean =>
    machine === ofName && machine !== present && !named.includes(machine);
  return {
    isKept: all.some((machine) => isLiving(machine) && !isByName(machine)),
    isKeptByName: all.some((machine) => isLiving(machine) && isByName(machine)),
    isClaimed: all.length > 0,
    isCondemned: [...all, own].some(mayBeTornDown),
  };
}

function isLiving(machine: JudgedObject): boolean {
  return !isDeleting(machine);
}

function mayBeTornDown(machine: JudgedObject | undefined): boolean {
  return machine !== undefined && isDeletable(machine);
}
