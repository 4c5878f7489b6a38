/** Several processes that run seeds side by side. */
import type { Order, RunnerOptions } from './protocol.ts';
import { Runner } from './runner.ts';
import type { SeedResult } from './seed-result.ts';

export interface Pool {
  jobs: number;
  runner: RunnerOptions;
  /** Undefined: there are no more. */
  next(): Order | undefined;
  onResult(result: SeedResult): void;
  onProgress(what: string): void;
}

export async function runPool(pool: Pool): Promise<void> {
  await Promise.all(Array.from({ length: pool.jobs }, () => runJob(pool)));
}

async function runJob(pool: Pool): Promise<void> {
  let runner: Runner | undefined;
  try {
    for (let order = pool.next(); order; order = pool.next()) {
      if (!runner?.isAlive) runner = new Runner(pool.runner);
      pool.onResult(await runner.run(order, pool.onProgress));
    }
  } finally {
    runner?.end();
  }
}
