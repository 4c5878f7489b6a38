/**
 * `node test/bench/sandbox.ts 300`: CPU that a replay of a machine's life takes in the lean
 * sandbox, with the interceptor for traces and without, in turn. No signal in it carries a trace,
 * as while traces are off.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { WorkflowBundleOption } from '@temporalio/worker';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { bundleWorkflows } from '../../workers/temporal/bundle-workflows.ts';
import { LeanWorker } from '../../workers/temporal/sandbox/lean-worker.ts';
import { noTraceSinks } from '../../workers/traces/no-traces.ts';

const [count = '300', rounds = '5'] = process.argv.slice(2);
const history = readFileSync(new URL('../replay/machine-life.json', import.meta.url), 'utf8');
const place = fileURLToPath(
  new URL('../../workflows/runtime/place-interceptors.ts', import.meta.url),
);

/** Milliseconds of CPU for each. */
async function costOf(workflowBundle: WorkflowBundleOption): Promise<number> {
  const before = process.cpuUsage();
  const histories = Array.from({ length: Number(count) }, (_, index) => ({
    workflowId: `life-${index}`,
    history: JSON.parse(history),
  }));
  const options = { workflowBundle, sinks: noTraceSinks };
  for await (const { error } of LeanWorker.runReplayHistories(options, histories)) {
    if (error) throw error;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / Number(count);
}

const logger = new DefaultLogger('WARN');
Runtime.install({ logger });
const kinds = {
  'with it': await bundleWorkflows({ logger }),
  'without it': await bundleWorkflows({ logger, workflowInterceptorModules: [place] }),
};
const costs: Record<string, number[]> = {};
for (let round = 0; round <= Number(rounds); round += 1) {
  for (const [name, bundle] of Object.entries(kinds)) {
    const cost = await costOf(bundle);
    // The first round warms up.
    if (round > 0) (costs[name] ??= []).push(cost);
  }
}
for (const [name, all] of Object.entries(costs)) {
  const sorted = all.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const range = `${sorted[0]?.toFixed(2)} to ${sorted.at(-1)?.toFixed(2)}`;
  console.log(`${name}: ${median.toFixed(2)} ms of CPU a life (${range})`);
}
process.exit(0);
