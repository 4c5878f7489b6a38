/**
 * `npm run bench -- bare 100`: what a machine costs when a program that decides nothing makes and
 * deletes it, with the writes, workflow tasks, cloud calls and libraries that Millwright has. The
 * difference to `up 100` is what decisions, checks, sets and deployments cost.
 */
import { once } from 'node:events';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Bench, Parts } from './measure.ts';
import { measure, runOfGone, runOfRunning, untilQuiet } from './measure.ts';
import { changeAndWatch } from './pool.ts';

const program = fileURLToPath(new URL('bare/program.ts', import.meta.url));

export async function* measureBare(bench: Bench, machines: number, warm: number): Parts {
  const { stack, kube } = bench;
  const process = fork(program, [
    stack.kubeconfig,
    stack.components['virtual-cloud']?.address ?? '',
    stack.environment['TEMPORAL_ADDRESS'] ?? '',
  ]);
  await once(process, 'message');
  const bare = { ...stack.supervisor, pid: process.pid ?? 0, address: '', log: '', restarts: 0 };
  const measured = { ...bench, stack: { ...stack, components: { ...stack.components, bare } } };
  const scale = (count: number) => changeAndWatch(kube, async () => process.send(count), count);
  for (const count of [warm, 0]) await scale(count);
  await untilQuiet(measured);
  yield await measure(measured, { name: 'bare up', machines }, async () =>
    runOfRunning(await scale(machines)),
  );
  await untilQuiet(measured);
  yield await measure(measured, { name: 'bare down', machines }, async () =>
    runOfGone(await scale(0)),
  );
  process.disconnect();
}
