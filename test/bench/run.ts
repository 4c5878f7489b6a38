/** `npm run bench -- up 100`: how fast, and at what cost. Prints for people, or `--json` for programs. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadKubeConfig } from '../../activities/kube/kubeconfig.ts';
import { createKubeClient } from '../../activities/kube/pooled-client.ts';
import { startStack, stopStack } from '../../deploy/local/stack.ts';
import { measureIdle, measureScaling, untilQuiet } from './measure.ts';
import { applyPool, scaleAndWatch } from './pool.ts';
import { printReport } from './report.ts';

const usage = `Usage: npm run bench -- <measurement> <machines> [options]

  up N        0 -> N machines Running, then N -> 0
  idle N      a minute with N machines in which nothing happens
  --boot SECONDS   boot time of a VM (default 1)
  --call MS        time of a call to the virtual cloud (default 50)
  --warm N         machines scaled up and down before, to warm up (default 50)
  --state-dir DIR  of the stack that is started for it (default .millwright/bench)
  --json           print JSON

Example: npm run bench -- up 100`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    boot: { type: 'string', default: '1' },
    call: { type: 'string', default: '50' },
    warm: { type: 'string', default: '50' },
    'state-dir': { type: 'string', default: join('.millwright', 'bench') },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const [measurement = 'up', count = '100'] = positionals;
if (values.help || !['up', 'idle'].includes(measurement)) {
  console.log(usage);
  process.exit(values.help ? 0 : 2);
}

const stateDir = values['state-dir'];
await rm(stateDir, { recursive: true, force: true });
const stack = await startStack({ stateDir, audit: true, quiet: values.json });
try {
  const kube = createKubeClient({
    kubeConfig: loadKubeConfig(stack.kubeconfig),
    userAgent: 'bench',
  });
  await fetch(`${stack.components['virtual-cloud']?.address}/settings`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      bootSeconds: Number(values.boot),
      callMilliseconds: Number(values.call),
    }),
  });
  await applyPool(kube);
  for (const replicas of [Number(values.warm), 0]) await scaleAndWatch(kube, replicas);
  const bench = { stack, kube, stateDir };
  await untilQuiet(bench);
  const report =
    measurement === 'up'
      ? await measureScaling(bench, Number(count))
      : await measureIdle(bench, Number(count));
  printReport(report, values.json);
  await kube.close();
} finally {
  await stopStack(stateDir);
}
process.exit(0);
