/** What the processes of a scenario serve over HTTP. The port is another one after each start. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import type { Program } from './operator.ts';
import type { Scenario } from './scenario.ts';

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
