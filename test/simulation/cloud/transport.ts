/** A process' calls to the cloud: they travel, and the cloud may refuse or hold them up. */
import type { Transport } from '../../../activities/drivers/virtual/client.ts';
import type { Chance } from '../engine/chance.ts';
import { ConnectionBroken, journey } from '../engine/journey.ts';
import type { SimulatedProcess } from '../engine/process.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Weather } from '../world/weather.ts';
import type { SimulatedCloud } from './cloud.ts';
import {
  credentialsRefused,
  internalError,
  quotaExceeded,
  refused,
  throttled,
  zoneFull,
} from './refusals.ts';
import type { Refusal } from './refusals.ts';

/** Shares of calls. */
export interface CloudTrouble {
  throttled: number;
  broken: number;
  slow: number;
  /** Of creates; it lasts for minutes. */
  exhausted: number;
  /** Of calls; it lasts for minutes. */
  credentials: number;
}

export const calmCloud: CloudTrouble = {
  throttled: 0,
  broken: 0,
  slow: 0,
  exhausted: 0,
  credentials: 0,
};

export const allCloudTrouble: CloudTrouble = {
  throttled: 0.02,
  broken: 0.01,
  slow: 0.02,
  exhausted: 0.005,
  credentials: 0.0005,
};

export interface CloudNetworkParts {
  simulation: Simulation;
  weather: Weather;
  cloud: SimulatedCloud;
  trouble: CloudTrouble;
}

interface Spell {
  refusal: Refusal;
  untilMs: number;
  createsOnly: boolean;
}

/** One for all processes: a zone that is full is so for all of them. */
export class CloudNetwork {
  readonly #parts: CloudNetworkParts;
  readonly #chance: Chance;
  #spell: Spell | undefined;

  constructor(parts: CloudNetworkParts) {
    this.#parts = parts;
    this.#chance = parts.simulation.chance.fork();
  }

  transportFor(process: SimulatedProcess): Transport {
    const { simulation, weather, cloud, trouble } = this.#parts;
    const chance = this.#chance;
    return ({ method, path, body, signal }) => {
      const name = `${method} cloud${path.split('?')[0]}`;
      const fate = weather.fateOf(process, name, 'cloud');
      fate.requestMs += chance.between(20, 80);
      if (!weather.isClear && chance.happens(trouble.slow)) {
        fate.answerMs += chance.between(1_000, 60_000);
      }
      const answered = journey(simulation, {
        process,
        // A cloud works through a doubled request like a retry of a load balancer.
        fate,
        effect: () => {
          const refusal = this.#refusalOf(method, process);
          if (refusal) return refused(refusal);
          return cloud.answer({ method, path, body, by: process.name });
        },
      });
      return new Promise((resolve, reject) => {
        const stop = (): void => reject(signal.reason);
        if (signal.aborted) return stop();
        signal.addEventListener('abort', stop, { once: true });
        answered
          .then(resolve, (error: unknown) =>
            reject(error instanceof ConnectionBroken ? new Error('other side closed') : error),
          )
          .finally(() => signal.removeEventListener('abort', stop));
      });
    };
  }

  #refusalOf(method: string, process: SimulatedProcess): Refusal | undefined {
    const { simulation, weather, trouble } = this.#parts;
    if (weather.isClear) return undefined;
    const chance = this.#chance;
    const isCreate = method === 'POST';
    if (isCreate && chance.happens(trouble.exhausted)) {
      this.#begin(chance.pick([quotaExceeded, zoneFull]), { createsOnly: true });
    }
    if (chance.happens(trouble.credentials))
      this.#begin(credentialsRefused, { createsOnly: false });
    const spell = this.#spell;
    if (spell && simulation.now < spell.untilMs && (isCreate || !spell.createsOnly)) {
      return spell.refusal;
    }
    const refusal = chance.happens(trouble.throttled)
      ? throttled
      : chance.happens(trouble.broken)
        ? internalError
        : undefined;
    if (refusal) process.note(`${method} to the cloud: refused: ${refusal.message}`);
    return refusal;
  }

  #begin(refusal: Refusal, { createsOnly }: { createsOnly: boolean }): void {
    const { simulation } = this.#parts;
    const lastsMs = this.#chance.between(60_000, 900_000);
    this.#spell = { refusal, untilMs: simulation.now + lastsMs, createsOnly };
    simulation.note('cloud', `for ${Math.round(lastsMs / 1_000)} s: ${refusal.message}`);
  }
}
