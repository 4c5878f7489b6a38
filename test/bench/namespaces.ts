/**
 * `npm run bench -- namespaces 50`: what an idle namespace of a fleet costs. A fleet of one is
 * measured, then one of so many more, each with a target cluster in a Secret.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { loadKubeConfig } from '../../kube/client/kubeconfig.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { createKubeClient } from '../../kube/client/http-client.ts';
import { runProgram } from '../../deploy/local/binaries/program.ts';
import { mallocSettings, nodeFlags } from '../../deploy/local/components/operator.ts';
import { layoutOf, repository } from '../../deploy/local/layout.ts';
import { startStack, stopStack, type Stack } from '../../deploy/local/stack.ts';
import { targetSecret, writeKubeconfig } from '../e2e/support/fleet.ts';
import { createNamespace, grantFleet } from '../e2e/support/rights.ts';
import { auditPosition } from './audit.ts';
import { useOfProcess, type ProcessUse } from './processes.ts';

const fleet = 'bench';
const roles = ['watcher', 'worker'] as const;
type Role = (typeof roles)[number];

interface Sample {
  namespaces: number;
  /** Of a quiet minute, by process. */
  memoryMib: Record<Role, number>;
  heapMib: Record<Role, number>;
  cpuMs: Record<Role, number>;
  /** `verb resource` -> requests of both in the minute. */
  requests: Record<string, number>;
}

interface Running {
  child: ChildProcess;
  port: number;
}

const settleMs = 30_000;
const minuteMs = 60_000;
const mib = 1024 * 1024;

/** The flags of the chart's example of a fleet. */
function exampleFlags(): string[] {
  const file = join(repository, 'deploy/helm/millwright/examples/fleet.yaml');
  const { flags }: { flags: Record<string, string> } = parse(readFileSync(file, 'utf8'));
  return Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
}

/** Prints what one namespace more costs; `write`: into docs/scaling.md as well. */
export async function measureNamespaces(
  count: number,
  { stateDir, write }: { stateDir: string; write: boolean },
): Promise<void> {
  await rm(stateDir, { recursive: true, force: true });
  const stack = await startStack({ stateDir, audit: true, operator: false, quiet: true });
  const kubeConfig = loadKubeConfig(stack.kubeconfig);
  const kube = createKubeClient({ kubeConfig, userAgent: 'bench' });
  try {
    const text = await measure({ stack, kube }, count);
    console.log(text);
    if (write) await writeSection(text);
  } finally {
    await kube.close();
    await stopStack(stateDir);
  }
}

async function measure({ stack, kube }: { stack: Stack; kube: KubeClient }, count: number) {
  const bundler = join(repository, 'workers/temporal/bundle-workflows.ts');
  await runProgram(process.execPath, [bundler, layoutOf(stack.stateDir).workflowBundle]);
  await grantFleet(kube, fleet);
  await addNamespace({ stack, kube }, 0);
  const processes = new Map<Role, Running>();
  for (const [index, role] of roles.entries()) {
    processes.set(role, start(stack, role, 21_258 + index));
  }
  try {
    await untilServed(processes, 1);
    const one = await sample(stack, processes, 1);
    for (let index = 1; index <= count; index += 1) await addNamespace({ stack, kube }, index);
    await untilServed(processes, count + 1);
    const many = await sample(stack, processes, count + 1);
    return tableOf(one, many);
  } finally {
    for (const { child } of processes.values()) {
      if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
    }
  }
}

async function addNamespace(
  { stack, kube }: { stack: Stack; kube: KubeClient },
  index: number,
): Promise<void> {
  const namespace = `idle-${index}`;
  await createNamespace(kube, namespace, { fleet });
  await writeKubeconfig(kube, namespace, readFileSync(stack.kubeconfig, 'utf8'));
}

function start({ stateDir, environment }: Stack, role: Role, port: number): Running {
  const layout = layoutOf(stateDir);
  const log = openSync(join(layout.logs, `${role}.log`), 'a');
  const args = [
    ...nodeFlags,
    join(repository, 'workers', `${role}.ts`),
    `--control-kubeconfig=${layout.kubeconfigOf(`millwright-${role}`)}`,
    `--namespaces=labels:fleet=${fleet}`,
    `--install=${fleet}`,
    `--target-kubeconfig-secret=${targetSecret}`,
    '--address=127.0.0.1',
    `--port=${port}`,
    ...(role === 'worker' ? [`--workflow-bundle=${layout.workflowBundle}`] : []),
    ...exampleFlags(),
  ];
  const env = { ...process.env, ...environment, ...mallocSettings, NODE_OPTIONS: '' };
  const child = spawn(process.execPath, args, { stdio: ['ignore', log, log], env });
  closeSync(log);
  return { child, port };
}

async function metricsOf({ port }: Running): Promise<string> {
  return await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}

/** Asks seldom: each answer is work for the process. */
const pollMs = 2_000;
const longestWaitMs = 300_000;

async function untilServed(processes: ReadonlyMap<Role, Running>, count: number): Promise<void> {
  const deadline = performance.now() + longestWaitMs;
  for (;;) {
    for (const [role, { child }] of processes) {
      if (child.exitCode !== null) throw new Error(`the ${role} ended; see its log`);
    }
    const served = await Promise.all([...processes.values()].map(servedBy));
    if (served.every((found) => found === count)) return;
    if (performance.now() > deadline) throw new Error(`${served.join()} of ${count} are served`);
    await sleep(pollMs);
  }
}

/** How many namespaces; 0 before it listens. */
async function servedBy(running: Running): Promise<number> {
  try {
    const lines = (await metricsOf(running)).split('\n');
    return lines.filter((line) => /^millwright_namespace_served\{.* 1$/.test(line)).length;
  } catch (error) {
    if (error instanceof TypeError) return 0;
    throw error;
  }
}

async function sample(
  { stateDir }: Stack,
  processes: ReadonlyMap<Role, Running>,
  namespaces: number,
): Promise<Sample> {
  await sleep(settleMs);
  const log = join(stateDir, 'logs', 'audit.log');
  const position = await auditPosition(log);
  const before = usesOf(processes);
  await sleep(minuteMs);
  const after = usesOf(processes);
  const requests = await requestsOf(log, position);
  const heaps = await Promise.all(roles.map((role) => heapOf(processes.get(role))));
  const byRole = (value: (role: Role, index: number) => number): Record<Role, number> => ({
    watcher: value('watcher', 0),
    worker: value('worker', 1),
  });
  return {
    namespaces,
    memoryMib: byRole((role) => after[role].memoryMib),
    heapMib: byRole((_role, index) => heaps[index] ?? 0),
    cpuMs: byRole((role) => (after[role].cpuSeconds - before[role].cpuSeconds) * 1_000),
    requests,
  };
}

function usesOf(processes: ReadonlyMap<Role, Running>): Record<Role, ProcessUse> {
  const useOf = (role: Role): ProcessUse => useOfProcess(processes.get(role)?.child.pid ?? 0);
  return { watcher: useOf('watcher'), worker: useOf('worker') };
}

async function heapOf(running: Running | undefined): Promise<number> {
  if (!running) return 0;
  const found = /^nodejs_heap_size_used_bytes (\S+)$/m.exec(await metricsOf(running));
  return Number(found?.[1] ?? 0) / mib;
}

interface AuditLine {
  verb: string;
  user: { username: string };
  objectRef?: { resource?: string };
}

async function requestsOf(log: string, position: number): Promise<Record<string, number>> {
  const text = (await readFile(log)).subarray(position).toString('utf8');
  const counts: Record<string, number> = {};
  for (const line of text.split('\n')) {
    if (!line.endsWith('}')) continue;
    const { verb, user, objectRef }: AuditLine = JSON.parse(line);
    if (!user.username.startsWith('millwright-')) continue;
    const kind = `${verb} ${objectRef?.resource ?? 'other'}`;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** What one namespace more costs, from the difference of both. */
function tableOf(one: Sample, many: Sample): string {
  const more = many.namespaces - one.namespaces;
  const each = (read: (sample: Sample) => number): number => (read(many) - read(one)) / more;
  const row = (role: Role): string =>
    [
      `| ${role}`,
      `${one.memoryMib[role].toFixed(0)} MiB`,
      `${many.memoryMib[role].toFixed(0)} MiB`,
      `${each(({ memoryMib }) => memoryMib[role]).toFixed(2)} MiB`,
      `${each(({ heapMib }) => heapMib[role]).toFixed(2)} MiB`,
      `${each(({ cpuMs }) => cpuMs[role]).toFixed(1)} ms |`,
    ].join(' | ');
  const kinds = Object.keys({ ...one.requests, ...many.requests }).map((kind) => {
    const count = each(({ requests }) => requests[kind] ?? 0);
    return { kind, count };
  });
  const requests = kinds
    .filter(({ count }) => count >= 0.01)
    .toSorted((a, b) => b.count - a.count)
    .map(({ kind, count }) => `${kind} ${count.toFixed(2)}`);
  return [
    `| process | with ${one.namespaces} namespace | with ${many.namespaces} | memory of one more | of it heap in use | CPU of one more in a quiet minute |`,
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    row('watcher'),
    row('worker'),
    '',
    `Requests to API servers for one more in that minute: ${requests.join(', ')}.`,
  ].join('\n');
}

const page = join(repository, 'docs/scaling.md');
const section = /(<!-- namespaces -->\n)[^]*?(<!-- end of namespaces -->)/;

async function writeSection(text: string): Promise<void> {
  const before = await readFile(page, 'utf8');
  if (!section.test(before)) throw new Error(`${page} has no section "namespaces"`);
  await writeFile(page, before.replace(section, `$1\n${text}\n\n$2`));
}
