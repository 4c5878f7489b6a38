/**
 * What all controllers have in common: they hear of changes, note by a key what is to be seen to,
 * and see to it a moment later. They may be late, stop, or know nothing new for a while.
 */
import type { Timer } from '../../../activities/system/system.ts';
import { StatusError } from '../../support/api-server/status.ts';
import type { Chance } from '../engine/chance.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Cluster } from '../world/kube-client.ts';
import { namedChance } from '../world/named-chance.ts';
import type { Weather } from '../world/weather.ts';
import type { ChangeFeed, News } from './change-feed.ts';
import { haveSpells } from './trouble.ts';
import type { ControllerTrouble } from './trouble.ts';

export interface ControllerParts {
  simulation: Simulation;
  weather: Weather;
  cluster: Cluster;
  feed: ChangeFeed;
  trouble: ControllerTrouble;
  /** From which each of them has its own chance. */
  base: number;
}

/** Milliseconds. */
const soonMs = 50;
const lateMs = 20_000;
const longestStopMs = 300_000;
const longestStaleMs = 30_000;
const firstRetryMs = 100;
const longestRetryMs = 60_000;

export abstract class Controller {
  readonly name: string;
  protected readonly parts: ControllerParts;
  protected readonly chance: Chance;
  readonly #timers = new Map<string, { at: number; timer: Timer }>();
  readonly #failures = new Map<string, number>();
  readonly #due = new Set<string>();
  #unheard: News[] = [];
  #stops = 0;
  #stale = 0;

  constructor(name: string, parts: ControllerParts) {
    this.name = name;
    this.parts = parts;
    this.chance = namedChance(parts.base, name);
  }

  /** It hears of these kinds. */
  protected listen(kinds: readonly string[], { hasSpells = true } = {}): void {
    this.parts.feed.subscribe(kinds, (news) => this.#receive(news));
    if (hasSpells) this.#haveSpells();
  }

  #haveSpells(): void {
    const { simulation, weather, trouble, base } = this.parts;
    const spellsOf = (what: string, timesAnHour: number, longestMs: number) => {
      const chance = namedChance(base, `${this.name} ${what}`);
      return { simulation, weather, chance, timesAnHour, longestMs };
    };
    haveSpells(spellsOf('stops', trouble.stopsAnHour, longestStopMs), () => {
      this.pause();
      return () => this.resume();
    });
    haveSpells(spellsOf('is stale', trouble.staleAnHour, longestStaleMs), () => {
      this.#stale += 1;
      return () => {
        this.#stale -= 1;
        this.#catchUp();
      };
    });
  }

  /** It stops. As often as it is paused, it has to be resumed. */
  pause(): void {
    this.#stops += 1;
    this.note('stops');
  }

  resume(): void {
    this.#stops = Math.max(0, this.#stops - 1);
    if (this.#stops > 0) return;
    this.note('goes on');
    this.#catchUp();
    const due = [...this.#due];
    this.#due.clear();
    for (const key of due) this.enqueue(key);
  }

  /** Notes what changed, and what is to be seen to: nothing is written here. */
  protected abstract hear(news: News): void;

  /** Sees to it. May throw what the API server answers: then it tries again. */
  protected abstract sync(key: string): void;

  /** Sees to it, so many milliseconds from now or a moment later; once if asked several times. */
  protected enqueue(key: string, afterMs = 0): void {
    const { simulation } = this.parts;
    const waitMs = afterMs + this.#reactionMs();
    const at = simulation.now + waitMs;
    const present = this.#timers.get(key);
    if (present && present.at <= at) return;
    present?.timer.cancel();
    const timer = simulation.after(waitMs, () => {
      this.#timers.delete(key);
      this.#work(key);
    });
    this.#timers.set(key, { at, timer });
  }

  protected forget(key: string): void {
    this.#timers.get(key)?.timer.cancel();
    this.#timers.delete(key);
    this.#due.delete(key);
    this.#failures.delete(key);
  }

  protected note(what: string): void {
    this.parts.simulation.note(this.name, what);
  }

  /** While the weather is bad. */
  protected goesWrong(share: number): boolean {
    return !this.parts.weather.isClear && this.chance.happens(share);
  }

  #reactionMs(): number {
    const isLate = this.goesWrong(this.parts.trouble.lateActions);
    return this.chance.between(1, isLate ? lateMs : soonMs);
  }

  #receive(news: News): void {
    if (this.#stale + this.#stops > 0) this.#unheard.push(news);
    else this.hear(news);
  }

  #catchUp(): void {
    if (this.#stale + this.#stops > 0) return;
    const unheard = this.#unheard;
    this.#unheard = [];
    for (const news of unheard) this.hear(news);
  }

  #work(key: string): void {
    if (this.#stops > 0) {
      this.#due.add(key);
      return;
    }
    if (!this.parts.cluster.isUp) return this.#retry(key);
    try {
      this.sync(key);
      this.#failures.delete(key);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      this.#retry(key);
    }
  }

  #retry(key: string): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.enqueue(key, Math.min(firstRetryMs * 2 ** failures, longestRetryMs));
  }
}
