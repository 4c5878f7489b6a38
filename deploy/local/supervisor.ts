/**
 * The process that runs a stack: `supervisor.ts <options as JSON>`. It is started in a process
 * group of its own by launch.ts, reports to its starter over the IPC channel how it goes, and stops
 * everything when that channel closes, unless it was asked to detach.
 */
import { preparedBinary } from './binaries/acquire.ts';
import { findPostgresql, type Postgresql } from './binaries/postgresql.ts';
import type { ToolName } from './binaries/tools.ts';
import { prepareCredentials } from './cluster/prepare.ts';
import { componentsOf, jobsOf } from './components/all.ts';
import { operatorEnvironment } from './components/operator.ts';
import type { StackWorld } from './components/world.ts';
import { forget, requireSameTemporal, startLogs } from './kept-state.ts';
import { layoutOf } from './layout.ts';
import { temporalOf, type StackOptions } from './options.ts';
import { needsOfStack } from './prepare/needs.ts';
import { startGuardian } from './supervision/guardian.ts';
import { identityOf } from './supervision/identity.ts';
import { tryLock } from './supervision/lock.ts';
import type { StarterMessage, SupervisorMessage } from './supervision/messages.ts';
import { choosePorts, host, localPorts } from './supervision/ports.ts';
import { killLeftovers, readPorts, removeStackFile, writePorts } from './supervision/stack-file.ts';
import { StackRunner } from './supervision/stack-runner.ts';

const options: StackOptions = JSON.parse(process.argv[2] ?? '');
const layout = layoutOf(options.stateDir);

const binaries = new Map<ToolName, string>();
let postgresqlFound: Postgresql | undefined;

let isDetached = false;
let runner: StackRunner | undefined;
let ending: Promise<never> | undefined;

function send(message: SupervisorMessage): void {
  console.log(new Date().toISOString(), logLine(message));
  // The starter may be gone already; then `disconnect` follows, or it was detached from.
  if (process.connected) process.send?.(message, () => undefined);
}

function logLine(message: SupervisorMessage): string {
  const step = 'step' in message ? ` ${message.step}` : '';
  return `${message.type}${step}${'text' in message ? `: ${message.text}` : ''}`;
}

async function end(code: number): Promise<never> {
  try {
    await runner?.stop();
  } finally {
    removeStackFile(layout);
    releaseLock();
  }
  process.exit(code);
}

function endOnce(code: number): void {
  ending ??= end(code);
}

/** Components that break when another one ends report it as well: only the first fault counts. */
function fail(error: Error): void {
  if (ending !== undefined) return;
  console.log(error.stack);
  send({ type: 'failed', text: error.message });
  endOnce(1);
}

let releaseLock = (): void => undefined;

async function main(): Promise<void> {
  const lock = tryLock(layout.lockFile);
  if (!lock.taken) {
    send({ type: 'alreadyRunning' });
    process.exit(0);
  }
  releaseLock = lock.release;
  guard();
  if (killLeftovers(layout) > 0) send({ type: 'news', text: 'Killed what an earlier stack left' });
  if (options.fresh) forget(layout);
  requireSameTemporal(layout, temporalOf({ options }));
  startLogs(layout);
  const world = await makeWorld();
  const components = componentsOf(world);
  const jobs = jobsOf(world);
  send({ type: 'plan', steps: [...components, ...jobs].map(({ name }) => name) });
  if (temporalOf({ options }) === 'postgresql') {
    postgresqlFound = await findPostgresql({
      report: (text) => send({ type: 'step', step: 'postgresql', text }),
    });
  }
  // A missing program is reported before anything starts.
  for (const name of needsOfStack(options)) binaries.set(name, await preparedBinary(name));
  runner = new StackRunner({
    layout,
    components,
    jobs,
    stack: {
      state: 'starting',
      stateDir: layout.stateDir,
      kubeconfig: layout.kubeconfig,
      namespace: options.namespace,
      environment: operatorEnvironment(world),
      ports: world.ports,
      supervisor: ownIdentity(),
      components: {},
    },
    send,
    giveUp: fail,
  });
  send({ type: 'ready', stack: await runner.start() });
}

function ownIdentity(): NonNullable<ReturnType<typeof identityOf>> {
  const identity = identityOf(process.pid);
  if (identity === undefined) throw new Error('This process cannot find itself');
  return identity;
}

async function makeWorld(): Promise<StackWorld> {
  const { ports, taken } = await choosePorts(readPorts(layout), localPorts);
  writePorts(layout, ports);
  for (const { name, port } of taken) {
    // Nothing of ours listens there.
    if (options.temporalAddress !== undefined && name.startsWith('temporal')) continue;
    send({ type: 'news', text: `Port ${port} is taken: ${name} gets ${host}:${ports[name]}` });
  }
  await prepareCredentials(layout, ports);
  return { options, layout, ports, binary, postgresql };
}

function postgresql(): Postgresql {
  if (postgresqlFound === undefined) throw new Error('PostgreSQL was not searched for');
  return postgresqlFound;
}

function binary(tool: ToolName): string {
  const path = binaries.get(tool);
  if (path === undefined) throw new Error(`${tool} was not searched for`);
  return path;
}

function guard(): void {
  const guardian = startGuardian(process.pid);
  guardian.once('exit', () => {
    if (ending === undefined) guard();
  });
}

process.on('message', (message: StarterMessage) => {
  if (message.type === 'detach') isDetached = true;
  else endOnce(0);
});
process.on('disconnect', () => {
  if (!isDetached) endOnce(0);
});
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => endOnce(0));

main().catch(fail);
