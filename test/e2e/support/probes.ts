/** How often the worker of a scenario probed between the runs of its checks, by its metrics. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import type { Program } from './operator.ts';
import type { Scenario } from './scenario.ts';

/** Since its last start. `outcome` as in docs/safety.md; default: all. */
export async function probesOf(scenario: Scenario, check: string, outcome = ''): Promise<number> {
  return (await metricsOf(scenario, 'worker'))
    .split('\n')
    .filter((line) => line.startsWith('millwright_safety_probes_total{'))
    .filter((line) => line.includes(`check="${check}"`))
    .filter((line) => outcome === '' || line.includes(`outcome="${outcome}"`))
    .map((line) => Number(line.split(' ').at(-1)))
    .reduce((sum, count) => sum + count, 0);
}

/** It is another one after each start. */
/** What `/metrics` of a worker says. */
export async function metricsOf({ operator }: Scenario, program: Program): Promise<string> {
  const port = portIn(join(operator.logs, `${program}.log`));
  return await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}

/** A stop holds up what begins after the worker has heard of it. */
export async function untilStopIsKnown(scenario: Scenario): Promise<void> {
  const line = `millwright_stopped{kube_namespace="${scenario.namespace}"} 1`;
  await eventually('the worker knows of the stop', async () => {
    expect(await metricsOf(scenario, 'worker')).toContain(line);
  });
}

/** What `/readyz` of a worker says. */
export async function readinessOf(
  { operator }: Scenario,
  program: Program,
): Promise<{ isReady: boolean; text: string }> {
  const port = portIn(join(operator.logs, `${program}.log`));
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
  return { isReady: answer.ok, text: await answer.text() };
}

function portIn(log: string): number {
  const ports = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.includes('serving /healthz'))
    .map((line): { port: number } => JSON.parse(line));
  const last = ports.at(-1);
  if (!last) throw new Error(`${log} names no port`);
  return last.port;
}
