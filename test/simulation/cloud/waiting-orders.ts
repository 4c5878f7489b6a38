/**
 * A cloud whose orders wait: a create is answered with a promise, and made when its turn comes.
 * Some wait for longer than a Machine is waited for, as for a size that is sold out.
 */
import { DriverPending } from '../../../activities/drivers/driver.ts';
import type { Driver } from '../../../activities/drivers/driver.ts';
import type { Chance } from '../engine/chance.ts';
import type { Simulation } from '../engine/simulation.ts';
import { namedChance } from '../world/named-chance.ts';
import type { Weather } from '../world/weather.ts';

export interface WaitingOrdersParts {
  simulation: Simulation;
  weather: Weather;
  /** Of creates: they wait. */
  share: number;
}

const minuteMs = 60_000;
const pollsAfterSeconds = [2, 10, 30] as const;

/** One for all processes: an order that one of them has made, the others ask for. */
export class WaitingOrders {
  readonly #parts: WaitingOrdersParts;
  readonly #chance: Chance;
  /** When its turn comes, by token. Milliseconds since 1970. */
  readonly #turns = new Map<string, number>();

  constructor(parts: WaitingOrdersParts) {
    this.#parts = parts;
    this.#chance = namedChance(parts.simulation.seed, 'orders that wait');
  }

  /** The same driver, whose creates wait for their turn. */
  of(driver: Driver): Driver {
    return {
      ...driver,
      createInstance: async (request) => {
        this.#requireTurn(request.token);
        return await driver.createInstance(request);
      },
    };
  }

  #requireTurn(token: string): void {
    const { simulation, weather } = this.#parts;
    const turn = this.#turns.get(token) ?? simulation.now + this.#waitMs();
    this.#turns.set(token, turn);
    if (weather.isClear || simulation.now >= turn) return;
    const pollAfterSeconds = this.#chance.pick(pollsAfterSeconds);
    const message = 'the order waits for its turn';
    throw new DriverPending({ message, pollAfterSeconds, checkpoint: `order ${token}` });
  }

  #waitMs(): number {
    const chance = this.#chance;
    if (!chance.happens(this.#parts.share)) return 0;
    return chance.happens(0.5)
      ? chance.between(1_000, 2 * minuteMs)
      : chance.between(2 * minuteMs, 90 * minuteMs);
  }
}
