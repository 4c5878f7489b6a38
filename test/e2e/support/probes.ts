/** How often the worker of a scenario probed between the runs of its checks, by its metrics. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scenario } from './scenario.ts';

/** Since its last start. `outcome` as in docs/safety.md; default: all. */
export async function probesOf(
  { operator }: Scenario,
  check: string,
  outcome = '',
): Promise<number> {
  const answer = await fetch(
    `http://127.0.0.1:${portIn(join(operator.logs, 'worker.log'))}/metrics`,
  );
  return (await answer.text())
    .split('\n')
    .filter((line) => line.startsWith('millwright_safety_probes_total{'))
    .filter((line) => line.includes(`check="${check}"`))
    .filter((line) => outcome === '' || line.includes(`outcome="${outcome}"`))
    .map((line) => Number(line.split(' ').at(-1)))
    .reduce((sum, count) => sum + count, 0);
}

/** It is another one after each start. */
function portIn(log: string): number {
  const ports = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.includes('serving /healthz'))
    .map((line): { port: number } => JSON.parse(line));
  const last = ports.at(-1);
  if (!last) throw new Error(`${log} names no port`);
  return last.port;
}
