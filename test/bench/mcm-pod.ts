/**
 * `npm run bench -- pod 50`: what the two processes of the image take that stand in for MCM, as
 * Gardener starts them: at rest, while machines come, and with all of them. What deploy/gardener
 * asks for is of this.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mallocSettings } from '../../deploy/local/components/operator.ts';
import { layoutOf, type User } from '../../deploy/local/layout.ts';
import { buildProcesses } from '../../tools/build/processes.ts';
import { mcmNames } from '../../workers/config/mcm-name.ts';
import type { Bench, Parts } from './measure.ts';
import { measure, measureUp, untilQuiet } from './measure.ts';
import { namespace } from './pool.ts';
import { withPrograms } from './processes.ts';

const idleSeconds = 60;
const users = { watcher: 'millwright-watcher', worker: 'millwright-worker' } as const;

export async function* measurePod(bench: Bench, machines: number): Parts {
  // Below the repository, so that packages are found.
  const image = resolve(bench.stateDir, 'image');
  await buildProcesses(image);
  const pod = (['watcher', 'worker'] as const).map((role) => ({
    name: mcmNames[role],
    child: start(bench, { image, program: mcmNames[role], user: users[role] }),
  }));
  try {
    const pids = pod.map(({ name, child: { pid = 0 } }) => [name, pid] as const);
    const measured = { ...bench, stack: withPrograms(bench.stack, Object.fromEntries(pids)) };
    const idle = (name: string, count: number) =>
      measure(measured, { name, machines: count }, async () => {
        await sleep(idleSeconds * 1_000);
        return { milliseconds: idleSeconds * 1_000, waits: [] };
      });
    yield await idle('pod at rest', 1);
    yield await measureUp(measured, machines);
    await untilQuiet(measured);
    yield await idle(`pod with ${machines} machines`, machines);
  } finally {
    for (const { child } of pod) child.kill('SIGTERM');
  }
}

interface Program {
  image: string;
  program: string;
  user: User;
}

function start({ stack, stateDir }: Bench, { image, program, user }: Program): ChildProcess {
  const kubeconfig = layoutOf(stateDir).kubeconfigOf(user);
  const log = openSync(join(stateDir, 'logs', `${program}.log`), 'a');
  const flags = [
    `--control-kubeconfig=${kubeconfig}`,
    `--target-kubeconfig=${kubeconfig}`,
    `--namespace=${namespace}`,
    '--port=0',
    '--v=3',
    // The users of the local stack have the rights of the chart.
    '--leader-elect-resource-name=millwright',
  ];
  const child = spawn(join(image, program), flags, {
    cwd: image,
    stdio: ['ignore', log, log],
    env: {
      ...stack.environment,
      PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
      ...mallocSettings,
    },
  });
  closeSync(log);
  return child;
}
