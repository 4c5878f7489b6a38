/** What goes wrong with a call on the cloud's side. */
import type { InstanceRequest } from '../../../deploy/local/virtual-cloud/instance.ts';
import { isRecord } from '../../../workflows/values/is-record.ts';
import type { Chance } from '../engine/chance.ts';
import type { Fate } from '../engine/journey.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Weather } from '../world/weather.ts';
import { chancesFor } from './chances.ts';
import type { CloudCall, SimulatedCloud } from './cloud.ts';
import { breakdowns, foreignAnswers, refused, throttled } from './refusals.ts';
import type { CloudAnswer } from './refusals.ts';
import { Spells } from './spells.ts';
import type { NewOrder } from './spells.ts';
import type { CloudTrouble } from './trouble.ts';

export interface CloudFaultsParts {
  simulation: Simulation;
  weather: Weather;
  cloud: SimulatedCloud;
  trouble: CloudTrouble;
  /** After a create lists have its instance no later than this. Default 1. */
  settleSeconds?: number;
}

/** Less than the time limit of a call. */
const longestWorkMs = 25_000;
const sides = ['before', 'after'] as const;
/** Before the driver's settle window is over. Milliseconds. */
const slackMs = 100;

export class CloudFaults {
  readonly #parts: CloudFaultsParts;
  readonly #chance: Chance;
  readonly #chances: Readonly<Record<keyof CloudTrouble, Chance>>;
  readonly #spells: Spells;
  /** Its answers come when the work is done. */
  readonly #isPatient: boolean;

  constructor(parts: CloudFaultsParts, chance: Chance) {
    this.#parts = parts;
    this.#chance = chance;
    this.#chances = chancesFor(chance, parts.trouble);
    this.#isPatient = this.#chances.patient.happens(parts.trouble.patient);
    this.#spells = new Spells(parts, this.#chances);
  }

  /** When a call is sent: how long it takes, and whether its answer comes. Returns the fault. */
  shape(fate: Fate): string | undefined {
    fate.requestMs += this.#chance.between(20, 80);
    if (this.#parts.weather.isClear) return undefined;
    if (this.#isPatient) fate.answerMs += this.#chances.patient.between(5_000, longestWorkMs);
    if (this.#happens('slow')) {
      const leg = this.#chances.slow.pick(['requestMs', 'answerMs'] as const);
      fate[leg] += this.#chances.slow.between(1_000, 60_000);
    }
    if (this.#happens('hung')) {
      Object.assign(fate, { lost: 'request', isSilent: true });
      return 'hangs';
    }
    if (!this.#happens('lostAnswers')) return undefined;
    Object.assign(fate, { lost: 'answer', isSilent: false });
    return 'its answer is lost';
  }

  /** Carries a call out where it arrives, or does not. */
  answer(call: CloudCall): CloudAnswer {
    const { cloud, weather } = this.#parts;
    if (weather.isClear) return cloud.answer(call);
    const refusal = this.#refusalOf(call);
    if (refusal) return refusal;
    const breakdown = this.#breakdown();
    if (breakdown?.comes === 'before') return breakdown.answer;
    const listedAfterMs = this.#listedAfterMs();
    const answer = cloud.answer({ ...call, listedAfterMs });
    return breakdown?.answer ?? answer;
  }

  /** The later lists may have it, the more often they are late. */
  #listedAfterMs(): number {
    const { trouble, settleSeconds = 1 } = this.#parts;
    const { lateLists } = this.#chances;
    const latestMs = settleSeconds * 1_000 - slackMs;
    return lateLists.happens(trouble.lateLists * settleSeconds)
      ? lateLists.between(0, latestMs)
      : 0;
  }

  #refusalOf(call: CloudCall): CloudAnswer | undefined {
    const refusal = this.#spells.refusalOf(this.#newOrderIn(call));
    if (refusal) return refused(refusal);
    if (!this.#happens('throttled')) return undefined;
    const chance = this.#chances.throttled;
    return refused(throttled(1 + chance.below(chance.happens(0.1) ? 60 : 5)));
  }

  /** Its answer says nothing about whether the work was done. */
  #breakdown(): { answer: CloudAnswer; comes: 'before' | 'after' } | undefined {
    const { broken, foreignAnswers: foreign } = this.#chances;
    if (this.#happens('broken')) {
      return { answer: refused(broken.pick(breakdowns)), comes: broken.pick(sides) };
    }
    if (!this.#happens('foreignAnswers')) return undefined;
    return { answer: foreign.pick(foreignAnswers), comes: foreign.pick(sides) };
  }

  #happens(name: keyof CloudTrouble): boolean {
    return this.#chances[name].happens(this.#parts.trouble[name]);
  }

  #newOrderIn({ method, path, body }: CloudCall): NewOrder | undefined {
    if (method !== 'POST' || path !== '/instances' || !isRecord(body)) return undefined;
    const { token = '', zone = 'a', size = 'small' }: Partial<InstanceRequest> = { ...body };
    return this.#parts.cloud.knowsToken(token) ? undefined : { zone, size };
  }
}
