/** The local stack for tests and benchmarks: start, look, stop. */
import { setTimeout as delay } from 'node:timers/promises';
import { launchSupervisor } from './launch.ts';
import { layoutOf } from './layout.ts';
import { defaultOptions, defaultStateDir, type StackOptions } from './options.ts';
import { isAlive, signalProcess, type ProcessIdentity } from './supervision/identity.ts';
import { lockHolder } from './supervision/lock.ts';
import type { SupervisorMessage } from './supervision/messages.ts';
import {
  killLeftovers,
  readRunningStack,
  removeStackFile,
  type Stack,
} from './supervision/stack-file.ts';

export type { Stack } from './supervision/stack-file.ts';

/** The stack that runs in a state folder, or undefined. */
export function readStack(stateDir = defaultStateDir): Stack | undefined {
  return readRunningStack(layoutOf(stateDir));
}

export interface StartOptions extends Partial<StackOptions> {
  /** Say nothing; default false, which prints one line per step. */
  quiet?: boolean;
  /** Let the stack outlive this process; default false. */
  detach?: boolean;
}

/**
 * Starts a stack of prepared programs, or joins the one that runs in the same state folder.
 * Resolves
 * when everything is ready. Unless `detach` is set, the stack ends with this process.
 */
export async function startStack({
  quiet = false,
  detach = false,
  ...options
}: StartOptions = {}): Promise<Stack> {
  const all = { ...defaultOptions, ...options };
  const running = readStack(all.stateDir);
  if (running?.state === 'running') return running;
  const { promise, resolve, reject } = Promise.withResolvers<Stack>();
  const supervisor = launchSupervisor(all, (message) => {
    if (!quiet) print(message);
    if (message.type === 'ready') resolve(message.stack);
    if (message.type === 'failed') reject(new Error(message.text));
    if (message.type === 'alreadyRunning') resolve(untilRunning(all.stateDir));
  });
  supervisor.ended.then(
    (code) => reject(new Error(`The stack ended with ${code ?? 'a signal'} before it was ready`)),
    reject,
  );
  const stack = await promise;
  if (detach) supervisor.send({ type: 'detach' });
  supervisor.process.unref();
  supervisor.process.channel?.unref();
  return stack;
}

function print(message: SupervisorMessage): void {
  if (message.type === 'step' || message.type === 'stepDone') {
    console.log(`${message.step}: ${message.text}`);
  }
  if (message.type === 'news') console.log(message.text);
}

/** Another process starts it: waits until it is ready. */
async function untilRunning(stateDir: string): Promise<Stack> {
  const deadline = Date.now() + 20 * 60_000;
  while (Date.now() < deadline) {
    const stack = readStack(stateDir);
    if (stack?.state === 'running') return stack;
    if (lockHolder(layoutOf(stateDir).lockFile) === undefined) break;
    await delay(200);
  }
  throw new Error(`The stack in ${stateDir}, which another process starts, did not become ready`);
}

/** Longer than the slowest orderly end: four steps of 8 s. */
const stopWithinMs = 40_000;

/**
 * Stops the stack of a state folder and waits until nothing of it runs. False when none was
 * running.
 */
export async function stopStack(stateDir = defaultStateDir): Promise<boolean> {
  const layout = layoutOf(stateDir);
  const holder = lockHolder(layout.lockFile);
  const wasRunning = holder !== undefined && isAlive(holder);
  if (wasRunning) await endSupervisor(holder);
  const left = killLeftovers(layout);
  removeStackFile(layout);
  return wasRunning || left > 0;
}

/** Asks it to end. When it does not, it is killed, and its guardian kills all that it started. */
async function endSupervisor(supervisor: ProcessIdentity): Promise<void> {
  signalProcess(supervisor, 'SIGTERM');
  const deadline = Date.now() + stopWithinMs;
  while (isAlive(supervisor)) {
    if (Date.now() > deadline) signalProcess(supervisor, 'SIGKILL');
    await delay(50);
  }
}
