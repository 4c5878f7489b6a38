/**
 * `npm run bench -- profile 100`: where the CPU time of worker, watcher and API server goes, as
 * profiles, flame graphs and a list; with `--temporal=postgresql` that of Temporal as well, whose
 * development server has no profiles.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from '../../../kube/client/transport.ts';
import { loadKubeConfig } from '../../../kube/client/kubeconfig.ts';
import type { Stack } from '../../../deploy/local/stack.ts';
import { host } from '../../../deploy/local/supervision/ports.ts';
import { measureDown, measureUp, untilQuiet, type Bench, type Parts } from '../measure.ts';
import { processesOfOurs } from '../processes.ts';
import { flameGraph } from './flame-graph.ts';
import { openInspector, type Inspector } from './inspector.ts';
import { stacksOfGo, stacksOfNode, type Stacks } from './stacks.ts';

/** Its profile has a length of its own, which has to be said before: less than the part takes. */
const goSecondsPerMachine = 0.04;

/** Has to be called before the stack starts: its Node.js processes inherit it. */
export function letInspectorsOpen(): void {
  process.env['NODE_OPTIONS'] = `${process.env['NODE_OPTIONS'] ?? ''} --inspect-port=0`.trim();
}

export async function* measureProfiles(bench: Bench, machines: number): Parts {
  const folder = join(bench.stateDir, 'profiles');
  await mkdir(folder, { recursive: true });
  const inspectors = new Map<string, Inspector>();
  for (const { name, component } of processesOfOurs(bench.stack)) {
    inspectors.set(name, await openInspector(component));
  }
  const parts = { up: measureUp, down: measureDown };
  for (const [part, measure] of Object.entries(parts)) {
    for (const inspector of inspectors.values()) await inspector.start();
    const ofServers = Object.entries(serversOf(bench)).map(async ([name, read]) => {
      const profile = await read(Math.ceil(machines * goSecondsPerMachine));
      const file = join(folder, `${name}-${part}.pprof`);
      await writeFile(file, profile);
      return { name, file };
    });
    yield await measure(bench, machines);
    for (const [name, inspector] of inspectors) {
      for (const [thread, profile] of await inspector.stop()) {
        const file = join(folder, `${name}-${thread}-${part}`);
        await writeFile(`${file}.cpuprofile`, JSON.stringify(profile));
        await report(file, `${name}, ${thread}, ${part}`, stacksOfNode(profile));
      }
    }
    for (const { name, file } of await Promise.all(ofServers)) {
      await report(file, `${name}, ${part}`, await stacksOfGo(file));
    }
    await untilQuiet(bench);
  }
  for (const inspector of inspectors.values()) inspector.close();
  console.error(`\nProfiles and flame graphs: ${folder}`);
}

/** Reads the CPU profile of a Go program, which takes so many seconds. */
type ReadProfile = (seconds: number) => Promise<Uint8Array>;

function serversOf({ stack }: Bench): Record<string, ReadProfile> {
  const isProduction = stack.components['postgresql'] !== undefined;
  return {
    'kube-apiserver': (seconds) => profileOfApiServer(stack, seconds),
    ...(isProduction && { temporal: (seconds) => profileOfTemporal(stack, seconds) }),
  };
}

const pathOf = (seconds: number): string => `/debug/pprof/profile?seconds=${seconds}`;
const withinOf = (seconds: number): AbortSignal => AbortSignal.timeout((seconds + 60) * 1_000);

async function profileOfApiServer(stack: Stack, seconds: number): Promise<Uint8Array> {
  const kubeConfig = loadKubeConfig(stack.kubeconfig);
  const transport = createTransport({ kubeConfig, userAgent: 'bench' });
  const response = await transport.send({
    method: 'GET',
    path: pathOf(seconds),
    headers: {},
    signal: withinOf(seconds),
    pool: 'calls',
  });
  const profile = await response.body.bytes();
  await transport.close();
  return profile;
}

async function profileOfTemporal({ ports }: Stack, seconds: number): Promise<Uint8Array> {
  const url = `http://${host}:${ports.temporalPprof}${pathOf(seconds)}`;
  const response = await fetch(url, { signal: withinOf(seconds) });
  return await response.bytes();
}

const mostListed = 20;
const mostShown = 0.005;

/** What was on the CPU itself, most first. */
async function report(file: string, title: string, stacks: Stacks): Promise<void> {
  await writeFile(`${file}.svg`, flameGraph(title, stacks));
  const own = new Map<string, number>();
  for (const [stack, milliseconds] of stacks) {
    const frame = stack.slice(stack.lastIndexOf(';') + 1);
    own.set(frame, (own.get(frame) ?? 0) + milliseconds);
  }
  const total = [...own.values()].reduce((sum, milliseconds) => sum + milliseconds, 0);
  const lines = [...own]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, mostListed)
    .filter(([, milliseconds]) => milliseconds > total * mostShown)
    .map(([frame, milliseconds]) => {
      const share = ((milliseconds / total) * 100).toFixed(1).padStart(6);
      return `${share} %  ${frame}`;
    });
  console.error([`\n${title}: ${total.toFixed(0)} ms on the CPU`, ...lines].join('\n'));
}
