/** What the cloud refuses for minutes, to all callers alike. */
import type { InstanceRequest } from '../../../deploy/local/virtual-cloud/instance.ts';
import type { Chance } from '../engine/chance.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { SimulatedCloud } from './cloud.ts';
import { credentialsRefused, notOffered, quotaExceeded, zoneFull } from './refusals.ts';
import type { Refusal } from './refusals.ts';
import type { CloudTrouble } from './trouble.ts';

/** A create of a new token; the others are answered by what the cloud knows. */
export type NewOrder = Pick<InstanceRequest, 'zone' | 'size'>;

export interface SpellsParts {
  simulation: Simulation;
  cloud: SimulatedCloud;
  trouble: CloudTrouble;
}

type SpellName = 'exhausted' | 'credentials' | 'notOffered';

interface Spell {
  refusal: Refusal;
  /** Milliseconds since 1970. */
  untilMs: number;
  holdsFor(order: NewOrder | undefined): boolean;
}

const shortestMs = 60_000;
const longestMs = 900_000;

export class Spells {
  readonly #simulation: Simulation;
  readonly #cloud: SimulatedCloud;
  readonly #trouble: CloudTrouble;
  readonly #chances: Readonly<Record<keyof CloudTrouble, Chance>>;
  #spells: Spell[] = [];

  constructor(parts: SpellsParts, chances: Readonly<Record<keyof CloudTrouble, Chance>>) {
    this.#simulation = parts.simulation;
    this.#cloud = parts.cloud;
    this.#trouble = parts.trouble;
    this.#chances = chances;
  }

  /** Of a call at this moment; it may be the first one of a spell. */
  refusalOf(order: NewOrder | undefined): Refusal | undefined {
    this.#maybeBegin(order);
    const { now } = this.#simulation;
    if (this.#spells.length === 0) return undefined;
    this.#spells = this.#spells.filter(({ untilMs }) => untilMs > now);
    return this.#spells.find((spell) => spell.holdsFor(order))?.refusal;
  }

  #maybeBegin(order: NewOrder | undefined): void {
    const chances = this.#chances;
    if (this.#happens('credentials')) this.#refuseAll();
    if (!order) return;
    const { zone, size } = order;
    const isSame = (other: NewOrder | undefined): boolean =>
      other?.zone === zone && other.size === size;
    if (this.#happens('notOffered')) this.#begin('notOffered', notOffered(zone, size), isSame);
    if (!this.#happens('exhausted')) return;
    if (chances.exhausted.happens(0.5)) this.#begin('exhausted', zoneFull(zone, size), isSame);
    else this.#begin('exhausted', quotaExceeded, (other) => other !== undefined);
  }

  #happens(name: SpellName): boolean {
    return this.#chances[name].happens(this.#trouble[name]);
  }

  #refuseAll(): void {
    const refusal = this.#chances.credentials.pick(credentialsRefused);
    const { untilMs } = this.#begin('credentials', refusal, () => true);
    this.#cloud.noteRefusalOfAll(untilMs);
  }

  #begin(name: SpellName, refusal: Refusal, holdsFor: Spell['holdsFor']): Spell {
    const lastsMs = this.#chances[name].between(shortestMs, longestMs);
    const spell: Spell = { refusal, untilMs: this.#simulation.now + lastsMs, holdsFor };
    this.#spells.push(spell);
    this.#simulation.note('cloud', `for ${Math.round(lastsMs / 1_000)} s: ${refusal.message}`);
    return spell;
  }
}
