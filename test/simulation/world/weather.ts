/** Which faults a run has, how often, and from when to when. All by seed. */
import type { Body } from '../../support/api-server/creation.ts';
import type { Chance } from '../engine/chance.ts';
import type { Fate } from '../engine/journey.ts';
import type { SimulatedProcess } from '../engine/process.ts';
import type { Simulation } from '../engine/simulation.ts';
import { Hindrances } from './hindrances.ts';
import type { Alteration, Asked, Cut, Overload, Refusal, Verdict } from './hindrances.ts';
import { baseOf, namedChance } from './named-chance.ts';
import { callFaults } from './trouble.ts';
import type { CallFault, Trouble } from './trouble.ts';

export { allFaults, calm } from './trouble.ts';
export type { Verdict } from './hindrances.ts';
export type { Trouble } from './trouble.ts';

const verdicts: readonly Verdict[] = [
  { code: 403, reason: 'Forbidden', message: 'is forbidden: exceeded quota' },
  { code: 409, reason: 'Conflict', message: 'the object has been modified; try again' },
  { code: 422, reason: 'Invalid', message: 'admission webhook denied the request' },
  { code: 429, reason: 'TooManyRequests', message: 'too many requests', retryAfterSeconds: 1 },
  { code: 500, reason: 'InternalError', message: 'etcdserver: request timed out' },
  { code: 503, reason: 'ServiceUnavailable', message: 'apiserver not ready' },
];

/** What a call goes to, where nothing else is said. */
export const toTemporal = 'temporal';

/** Of watches of a cluster: those of one process, or all. */
export interface Breaking {
  cluster: string;
  process?: string;
}

/** After so long without a byte our client gives up a watch, milliseconds. */
const silenceMs = 90_000;

export class Weather {
  readonly trouble: Trouble;
  readonly #simulation: Simulation;
  readonly #chance: Chance;
  /** One for each fault: without one of them the others stay as they are. */
  readonly #chances: Readonly<Record<CallFault, Chance>>;
  readonly #overloadChance: Chance;
  readonly #hindrances = new Hindrances();
  readonly #onClear: (() => void)[] = [];
  readonly #onBreak = new Set<(breaking: Breaking) => void>();
  readonly #onRestore: ((cluster: string) => void)[] = [];
  #hasCleared = false;

  constructor(simulation: Simulation, trouble: Trouble) {
    this.#simulation = simulation;
    this.trouble = trouble;
    this.#chance = simulation.chance.fork();
    const base = baseOf(this.#chance);
    const entries = callFaults.map((name) => [name, namedChance(base, name)] as const);
    this.#chances = Object.assign(Object.fromEntries(entries));
    this.#overloadChance = namedChance(base, 'overloads');
  }

  /** From now on nothing goes wrong any more. */
  clear(): void {
    if (this.#hasCleared) return;
    this.#hasCleared = true;
    this.#hindrances.clear();
    this.#simulation.note('weather', 'clears');
    for (const end of this.#onClear.splice(0)) end();
  }

  get isClear(): boolean {
    return this.#hasCleared;
  }

  onClear(action: () => void): void {
    this.#onClear.push(action);
  }

  get chance(): Chance {
    return this.#chance;
  }

  /**
   * Of a call that a process makes.
   *
   * @param to Name of the cluster; default Temporal.
   */
  fateOf(process: SimulatedProcess, call: string, to = toTemporal): Fate {
    const chance = this.#chance;
    const fate: Fate = { requestMs: chance.between(0.3, 3), answerMs: chance.between(0.3, 3) };
    if (this.#hasCleared) return fate;
    const cut = this.#hindrances.cutOf(process.name, to, this.#simulation.now);
    if (cut) return { ...fate, lost: 'request', isSilent: cut.isSilent };
    this.#queue(fate, to);
    this.#slow(fate);
    this.#lose(fate, process, call);
    this.#double(fate, process, call);
    this.#kill(fate, process, call);
    return fate;
  }

  #queue(fate: Fate, server: string): void {
    const overload = this.#hindrances.overloadOf(server, this.#simulation.now);
    if (!overload) return;
    fate.requestMs += this.#overloadChance.between(0, overload.longestMs);
    fate.answerMs += this.#overloadChance.between(0, overload.longestMs);
  }

  #slow(fate: Fate): void {
    const chance = this.#chances.slowCalls;
    if (this.#happens('slowCalls')) fate.requestMs += chance.between(100, 8_000);
    if (this.#happens('slowCalls')) fate.answerMs += chance.between(100, 8_000);
  }

  #lose(fate: Fate, process: SimulatedProcess, call: string): void {
    if (!this.#happens('lostCalls')) return;
    const chance = this.#chances.lostCalls;
    fate.lost = chance.pick(['request', 'answer']);
    fate.isSilent = chance.happens(0.5);
    process.note(`${call}: its ${fate.lost} is lost`);
  }

  /** So late that others overtake it; now and then by minutes. */
  #double(fate: Fate, process: SimulatedProcess, call: string): void {
    if (!this.#happens('doubledCalls')) return;
    const chance = this.#chances.doubledCalls;
    fate.againAfterMs = chance.between(1, chance.happens(0.1) ? 180_000 : 5_000);
    process.note(`${call}: arrives twice`);
  }

  #kill(fate: Fate, process: SimulatedProcess, call: string): void {
    if (!this.#happens('killedCalls')) return;
    fate.kill = this.#chances.killedCalls.pick(['before', 'after']);
    process.note(`${call}: killed ${fate.kill} its effect`);
  }

  #happens(fault: CallFault): boolean {
    return this.#chances[fault].happens(this.trouble[fault]);
  }

  /** Undefined: the call is carried out. */
  verdictOn(process: SimulatedProcess, asked: Asked): Verdict | undefined {
    const refusal = this.#hindrances.verdictOn(asked, this.#simulation.now);
    if (refusal || this.#hasCleared || !this.#happens('refusedCalls')) return refusal;
    const verdict = this.#chances.refusedCalls.pick(verdicts);
    process.note(`${asked.call}: refused with ${verdict.code}`);
    return verdict;
  }

  /** By a webhook, which refuses a call of any caller. */
  refusalOf(call: string, cluster: string, body?: unknown): Verdict | undefined {
    return this.#hindrances.verdictOn({ call, cluster, body }, this.#simulation.now);
  }

  /** What a policy makes of an object that a process of ours creates: people are exempt. */
  admitted(body: Body, path: string, cluster: string): Body {
    const found = this.#hindrances.alterationsOf(path, cluster, this.#simulation.now);
    return found.reduce((made, { alter }) => alter(made), body);
  }

  /** No process of ours gets what it creates there. */
  isAltered(path: string, cluster: string): boolean {
    return this.#hindrances.alterationsOf(path, cluster, this.#simulation.now).length > 0;
  }

  /** Until the next event of a watch is heard, milliseconds; undefined: the watch breaks. */
  delayOfEvent(process?: SimulatedProcess, cluster = ''): number | undefined {
    const usual = this.#chance.between(0.3, 5);
    if (this.#hasCleared) return usual;
    const { now } = this.#simulation;
    const cut = process && this.#hindrances.cutOf(process.name, cluster, now);
    // What the network holds back comes when the line is whole again.
    if (cut) return cut.isSilent ? cut.untilMs - now + usual : undefined;
    if (this.#happens('brokenWatches')) return undefined;
    const isLate = this.#happens('lateEvents');
    return isLate ? this.#chances.lateEvents.between(100, 20_000) : usual;
  }

  /** How many changes a list lacks that may come from a cache of the API server. */
  changesBehind(): number {
    if (this.#hasCleared || !this.#happens('staleLists')) return 0;
    return 1 + this.#chances.staleLists.below(20);
  }

  /** A process reaches a cluster, or Temporal, no more for a while. */
  cut(cut: Cut): void {
    this.#hindrances.cut(cut);
    const breaking = { cluster: cut.to, process: cut.process };
    if (!cut.isSilent) return this.breakWatches(breaking);
    if (cut.untilMs - this.#simulation.now < silenceMs) return;
    this.#simulation.after(silenceMs, () => this.breakWatches(breaking));
  }

  isCut(process: Pick<SimulatedProcess, 'name'>, to: string): boolean {
    return this.#hindrances.cutOf(process.name, to, this.#simulation.now) !== undefined;
  }

  /** A server takes its time for every call for a while. */
  overload(overload: Overload): void {
    this.#hindrances.overload(overload);
  }

  isOverloaded(server: string): boolean {
    return this.#hindrances.overloadOf(server, this.#simulation.now) !== undefined;
  }

  /** An API server refuses calls of a kind for a while. */
  refuse(refusal: Refusal): void {
    this.#hindrances.refuse(refusal);
  }

  /** An API server changes what is created for a while. */
  alter(alteration: Alteration): void {
    this.#hindrances.alter(alteration);
  }

  breakWatches(breaking: Breaking): void {
    // A watch that hears of it may end, and leave the set.
    for (const listener of Array.from(this.#onBreak)) listener(breaking);
  }

  /** Returns what ends it. */
  onBreak(listener: (breaking: Breaking) => void): () => void {
    this.#onBreak.add(listener);
    return () => {
      this.#onBreak.delete(listener);
    };
  }

  /** The objects of a cluster are those of an earlier moment again. */
  restored(cluster: string): void {
    for (const listener of this.#onRestore) listener(cluster);
  }

  onRestore(listener: (cluster: string) => void): void {
    this.#onRestore.push(listener);
  }

  /** Calls `act` at random moments until the weather clears. */
  often(timesAnHour: number, act: () => void, chance = this.#chance): void {
    if (timesAnHour <= 0) return;
    const meanMs = 3_600_000 / timesAnHour;
    const waitMs = -Math.log(1 - chance.share()) * meanMs;
    this.#simulation.after(waitMs, () => {
      if (this.#hasCleared) return;
      act();
      this.often(timesAnHour, act, chance);
    });
  }
}
