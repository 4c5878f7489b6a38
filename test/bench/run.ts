/**
 * `npm run bench -- up 100`: how fast, and at what cost. Prints for people, or `--json` for
 * programs.
 */
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { loadKubeConfig } from '../../kube/client/kubeconfig.ts';
import { createKubeClient } from '../../kube/client/http-client.ts';
import { messageOf } from '../../deploy/local/failure.ts';
import { layoutOf } from '../../deploy/local/layout.ts';
import { defaultOptions, temporalKindFrom, type TemporalKind } from '../../deploy/local/options.ts';
import { needsOfStack } from '../../deploy/local/prepare/needs.ts';
import { prepare } from '../../deploy/local/prepare/prepare.ts';
import { startStack, stopStack } from '../../deploy/local/stack.ts';
import { endMcm, mcmPrograms } from '../support/mcm-processes.ts';
import { measureActions, tableOf, writeTable } from './measure-actions.ts';
import { measureBare } from './bare.ts';
import { measureCli } from './cli.ts';
import { compareWith } from './compare.ts';
import { measureDrains } from './drains.ts';
import { measureFleet, poolSize } from './fleet.ts';
import { prepareImage } from './image.ts';
import { measureInPlace } from './in-place.ts';
import { measureLife } from './life.ts';
import { measureLone } from './lone.ts';
import { measureIdle, measureScaling, untilQuiet, type Bench, type Parts } from './measure.ts';
import { applyPool, scaleAndWatch } from './pool.ts';
import { startMcmInPlace } from './mcm.ts';
import { measurePod } from './mcm-pod.ts';
import { measureMemory } from './memory.ts';
import { measureNamespaces } from './namespaces.ts';
import { startNeighbour } from './neighbour.ts';
import { printReport } from './report.ts';
import { letInspectorsOpen, measureProfiles } from './profile/profiles.ts';
import { measureRoll } from './roll.ts';

const usage = `Usage: npm run bench -- <measurement> <machines> [options]

  up N        0 -> N machines Running, then N -> 0
  idle N      a minute with N machines in which nothing happens
  roll N      0 -> N, then all N are replaced by machines of a second class: surge 10 %, unavailable 0
  in-place N  0 -> N, then all N are updated in place, a tenth at a time, by agents that take a second
  life N      0 -> N, rolled like that, and the MachineDeployment deleted
  lone N      0 -> N, and beside it single machines of other pools, which are created and deleted all the time
  drains N    N machines with a pod each, then one with N pods, whose drains one budget blocks and lets go one by one
  fleet N     pools of 1,000 up to N machines without Nodes: what grows, as numbers and curves
  namespaces N  what an idle namespace of a fleet costs: one, then N more; --write puts it into docs/scaling.md
  cli N       how long status, stuck, explain and tree take with N machines, from the start of the program to its end
  actions N   what a machine costs on Temporal Cloud: made, replaced, deleted, with a minute of drain, and blocked for
              ten minutes; at the heartbeat timeout of an install. --write puts it into docs/temporal.md
  bare N      the same writes, workflow tasks and cloud calls by a program that decides nothing: what is left to save
  memory N    what the memory of our processes is made of: at rest, with N machines, and afterwards
  pod N       memory of the image's two processes in the place of MCM: a minute at rest, 0 -> N, a minute with N
  profile N   0 -> N -> 0, with CPU profiles and flame graphs of our processes and the API server, and of Temporal with
              --temporal=postgresql
  compare REVISION|mcm [up|roll|in-place|life N]
              the same here and at a revision of git, or with the real MCM, in turn: the medians of both, and their ratio
  --rounds N       of a comparison (default 3)
  --boot SECONDS   boot time of a VM (default 1)
  --call MS        time of a call to the virtual cloud (default 50)
  --warm N         machines scaled up and down before, to warm up (default 50)
  --limit SECONDS  for a rollout (default 900)
  --neighbour PERCENT  of each core is taken by another program (default 0)
  --controller NAME  millwright (default), or mcm: the real MCM v0.62.1 in its place, for up, idle, roll, in-place
                     and life
  --workers N      how many share the work, 1 to 4 (default 1); says how evenly
  --worker-flag F  one more for the worker, such as --worker-flag=--workflow-sandbox=sdk; may be given more than once
  --apart          watcher and worker are two processes, and not the chart's one
  --built          runs what the image holds, as \`npm run build\` makes it, and not the sources
  --temporal KIND  development (default) or postgresql, as of npm start
  --state-dir DIR  of the stack that is started for it (default .millwright/bench)
  --json           print JSON

Examples:
  npm run bench -- up 100
  npm run bench -- compare b00d480 up 100
  npm run bench -- compare mcm roll 100 --rounds 1`;

const defaults = { boot: '1', call: '50', warm: '50', limit: '900', rounds: '3' };
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    boot: { type: 'string', default: defaults.boot },
    call: { type: 'string', default: defaults.call },
    warm: { type: 'string', default: defaults.warm },
    limit: { type: 'string', default: defaults.limit },
    neighbour: { type: 'string', default: '0' },
    rounds: { type: 'string', default: defaults.rounds },
    controller: { type: 'string', default: 'millwright' },
    workers: { type: 'string', default: '1' },
    'worker-flag': { type: 'string', multiple: true, default: [] },
    temporal: { type: 'string' },
    'state-dir': { type: 'string', default: join('.millwright', 'bench') },
    apart: { type: 'boolean', default: false },
    built: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
for (const name of ['boot', 'call', 'warm', 'limit', 'rounds'] as const) {
  if (/^\d+(\.\d+)?$/.test(values[name])) continue;
  console.error(`--${name}: "${values[name]}" is not a number such as ${defaults[name]}`);
  process.exit(2);
}
if (positionals[0] === 'compare' && !values.help) {
  const [, revision = 'HEAD', name = 'up', count = '100'] = positionals;
  const { boot, call, warm, limit, built, json } = values;
  const settings = Object.entries({ boot, call, warm, limit });
  const given = settings.flatMap(([flag, value]) => [`--${flag}`, value]);
  const bench = [name, count, ...given, ...(built ? ['--built'] : [])];
  await compareWith({ revision, rounds: Number(values.rounds), bench, json });
  process.exit(0);
}
if (!values.help) {
  const stackNeeds = needsOfStack({ ...defaultOptions, temporal: temporalKind() });
  const ofMcm = values.controller === 'mcm' ? mcmPrograms : [];
  await prepare([...stackNeeds, ...ofMcm]);
}
if (positionals[0] === 'namespaces' && /^[1-9]\d*$/.test(positionals[1] ?? '') && !values.help) {
  const { 'state-dir': stateDir, write } = values;
  await measureNamespaces(Number(positionals[1]), { stateDir, write });
  process.exit(0);
}
if (positionals[0] === 'cli' && /^[1-9]\d*$/.test(positionals[1] ?? '') && !values.help) {
  const { 'state-dir': stateDir, json } = values;
  await measureCli(Number(positionals[1]), { stateDir, json });
  process.exit(0);
}
/** No instance registers a Node while a fleet is measured. */
const longestBootSeconds = 86_400;
const limitSeconds = Number(values.limit);
const measurements: Record<string, (bench: Bench, machines: number) => Parts> = {
  up: measureScaling,
  idle: measureIdle,
  roll: (bench, machines) => measureRoll(bench, machines, limitSeconds),
  drains: measureDrains,
  actions: (bench, machines) => measureActions(bench, machines, limitSeconds),
  profile: measureProfiles,
  bare: (bench, machines) => measureBare(bench, machines, Number(values.warm)),
  lone: (bench, machines) => measureLone(bench, machines, Number(values.boot)),
  pod: measurePod,
  'in-place': (bench, machines) => measureInPlace(bench, machines, limitSeconds),
  life: (bench, machines) => measureLife(bench, machines, limitSeconds),
};
/** They print what they find themselves. */
const surveys: Record<string, (bench: Bench, machines: number, asJson: boolean) => Promise<void>> =
  { fleet: measureFleet, memory: measureMemory };
const [measurement = 'up', count = '100'] = positionals;
const measureIt = measurements[measurement];
const survey = surveys[measurement];
const isFleet = measurement === 'fleet';
const isOfMcm = values.controller === 'mcm';
/** Its programs start the controllers themselves. */
const isAlone = measurement === 'bare' || measurement === 'pod';
if (values.help || (!measureIt && !survey)) {
  console.log(usage);
  process.exit(values.help ? 0 : 2);
}
if (!/^[1-9]\d*$/.test(count) || (isFleet && Number(count) % poolSize !== 0)) {
  const what = isFleet ? `a multiple of ${poolSize}` : 'a number of machines such as 100';
  console.error(`${measurement}: "${count}" is not ${what}`);
  process.exit(2);
}
if (!(Number(values.neighbour) >= 0 && Number(values.neighbour) <= 90)) {
  console.error(`--neighbour: "${values.neighbour}" is not a percentage from 0 to 90`);
  process.exit(2);
}
if (!/^[1-4]$/.test(values.workers)) {
  console.error(`--workers: "${values.workers}" is not a number from 1 to 4`);
  process.exit(2);
}

const forMcm = ['up', 'idle', 'roll', 'in-place', 'life'];
if (!['millwright', 'mcm'].includes(values.controller)) {
  console.error(`--controller: "${values.controller}" is neither millwright nor mcm`);
  process.exit(2);
}
if (isOfMcm && !forMcm.includes(measurement)) {
  console.error(`--controller=mcm: "${measurement}" is not one of ${forMcm.join(', ')}`);
  process.exit(2);
}

if (measurement === 'profile' || measurement === 'memory') letInspectorsOpen();
const temporal = temporalKind();
const stateDir = values['state-dir'];
await rm(stateDir, { recursive: true, force: true });
// Below the repository, so that packages are found.
const image = values.built ? resolve(stateDir, 'image') : undefined;
if (image !== undefined) await prepareImage(image, layoutOf(stateDir));
const stack = await startStack({
  stateDir,
  audit: true,
  operator: !isAlone && !isOfMcm,
  inOne: !values.apart,
  quiet: values.json,
  withoutTarget: isFleet,
  temporal,
  ...(image !== undefined && { image }),
  workerFlags: values['worker-flag'],
  updateAgent: measurement === 'in-place',
  quickRecovery: measurement !== 'actions',
  workers: Array.from({ length: Number(values.workers) }, () => []),
});
try {
  const kube = createKubeClient({
    kubeConfig: loadKubeConfig(stack.kubeconfig),
    userAgent: 'bench',
  });
  await fetch(`${stack.components['virtual-cloud']?.address}/settings`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      bootSeconds: isFleet ? longestBootSeconds : Number(values.boot),
      callMilliseconds: Number(values.call),
    }),
  });
  await applyPool(kube);
  const mcm = isOfMcm ? await startMcmInPlace(stack, stateDir) : undefined;
  const bench = { stack: mcm?.stack ?? stack, kube, stateDir };
  if (measureIt && !isAlone) {
    for (const replicas of [Number(values.warm), 0]) await scaleAndWatch(kube, replicas);
    await untilQuiet(bench);
  }
  const neighbour = startNeighbour(Number(values.neighbour));
  if (!neighbour.isFirst) console.error('The neighbour gets less: it may not raise its priority.');
  const parts = measureIt && (await printReport(measureIt(bench, Number(count)), values.json));
  if (measurement === 'actions' && parts) {
    const table = tableOf(parts);
    if (!values.json) console.log(`\n${table}`);
    if (values.write) await writeTable(table);
  }
  if (survey) await survey(bench, Number(count), values.json);
  neighbour.stop();
  await endMcm(mcm?.processes ?? []);
  await kube.close();
} finally {
  await stopStack(stateDir);
}
process.exit(0);

function temporalKind(): TemporalKind {
  try {
    return temporalKindFrom(values.temporal);
  } catch (error) {
    console.error(messageOf(error));
    process.exit(2);
  }
}
