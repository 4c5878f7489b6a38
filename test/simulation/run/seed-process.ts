/** The entrance of a process that runs one seed after the other, as its parent orders them. */
import { flushCompileCache } from 'node:module';
import { useCompileCache } from './compile-cache.ts';
import type { Answer, Order, RunnerOptions } from './protocol.ts';
import { runSeed } from './seed-run.ts';
import { loadSimulator } from './simulator.ts';

let isCompiled = false;
const options: RunnerOptions = JSON.parse(process.argv[2] ?? '');
const { module, folder } = options;
useCompileCache();
const simulator = await loadSimulator(module);

function answer(message: Answer): void {
  process.send?.(message);
}

async function run({ setup, isShrinking }: Order): Promise<void> {
  const say = (what: string): void => answer({ kind: 'progress', what });
  const result = await runSeed(simulator, setup, { isShrinking, folder, say });
  // After a run most of the code has been compiled, and the process may be killed at its answer.
  if (!isCompiled) flushCompileCache();
  isCompiled = true;
  answer({ kind: 'result', result });
}

process.on('message', (order: Order) => void run(order));
// A parent that was killed leaves nothing running behind it.
process.on('disconnect', () => process.exit());
