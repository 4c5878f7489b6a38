/** Seeds one after the other, until there are enough of them or the CPU time is used up. */
import { join } from 'node:path';
import { repository } from '../../../deploy/local/layout.ts';
import { runPool } from './pool.ts';
import type { Order } from './protocol.ts';
import { worldModule, type Setup } from './simulator.ts';
import { Tally } from './tally.ts';
import type { SeedResult } from './seed-result.ts';

export interface Campaign {
  /** With the first seed. */
  setup: Setup;
  /** May be Infinity. */
  seeds: number;
  /** When they are over, no further seed starts; may be Infinity. */
  cpuMinutes: number;
  jobs: number;
  /** Stop at the first seed that breaks a rule. */
  isBailing: boolean;
  isShrinking: boolean;
}

export interface Listener {
  onProgress(line: string): void;
  onResult?(result: SeedResult): void;
  /** URL of the module with the world; another one in tests. */
  module?: string;
  /** For failures. */
  folder?: string;
}

/** The next ones would take the CPU time of seeds that break another rule. */
const shrunkMost = 10;

/** Of the failures that a person has not kept yet. */
export const failureFolder = join(repository, '.millwright', 'simulation');

export async function runCampaign(campaign: Campaign, listener: Listener): Promise<Tally> {
  const { module = worldModule, folder = failureFolder } = listener;
  const tally = new Tally();
  const next = ordersOf(campaign, tally);
  await runPool({
    jobs: Math.min(campaign.jobs, campaign.seeds),
    runner: { module, folder },
    next() {
      const order = next();
      if (order) listener.onProgress(`${tally.progress}; running seed ${order.setup.seed}`);
      return order;
    },
    onProgress: listener.onProgress,
    onResult: (result) => {
      tally.add(result);
      listener.onResult?.(result);
      listener.onProgress(tally.progress);
    },
  });
  return tally;
}

function ordersOf(campaign: Campaign, tally: Tally): () => Order | undefined {
  const { setup, seeds, cpuMinutes, isBailing } = campaign;
  let started = 0;
  return () => {
    const spentMinutes = (tally.cpuSeconds + tally.shrinkCpuSeconds) / 60;
    const isOver = started === seeds || spentMinutes >= cpuMinutes;
    if (isOver || (isBailing && tally.failed.length > 0)) return undefined;
    started += 1;
    // Seeds are numbers of 32 bits.
    const seed = (setup.seed + started - 1) >>> 0;
    const isShrinking = campaign.isShrinking && tally.failed.length < shrunkMost;
    return { setup: { ...setup, seed }, isShrinking };
  };
}
