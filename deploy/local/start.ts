/**
 * `npm start`: starts the local stack, shows how that goes, and stays in the foreground until
 * Ctrl-C.
 */
import { findPostgresql } from './binaries/postgresql.ts';
import { ignoredOptions } from './ignored-options.ts';
import { launchSupervisor, type Supervisor } from './launch.ts';
import { layoutOf } from './layout.ts';
import {
  parseStartArguments,
  startUsage,
  temporalOf,
  type StackOptions,
  type StartCommand,
} from './options.ts';
import { needsOfStack } from './prepare/needs.ts';
import { prepare } from './prepare/prepare.ts';
import { requireRoom, stateOf } from './room.ts';
import { startView } from './start-view.ts';
import { readStack } from './stack.ts';
import { stopOnSignals } from './stop-on-signals.ts';
import { summaryOf } from './summary.ts';
import { lockHolder } from './supervision/lock.ts';
import type { SupervisorMessage } from './supervision/messages.ts';
import type { Stack } from './supervision/stack-file.ts';
import { messageOf } from './failure.ts';

function readCommand(): StartCommand {
  try {
    return parseStartArguments(process.argv.slice(2));
  } catch (error) {
    console.error(`${messageOf(error)}\n\n${startUsage}`);
    process.exit(2);
  }
}

type StartOutcome =
  | { type: 'ready'; stack: Stack }
  | { type: 'alreadyRunning' }
  /** `reason` is missing when it was stopped, and when it was killed. */
  | { type: 'ended'; reason?: string };

async function start(options: StackOptions, detach: boolean): Promise<number> {
  const state = stateOf(layoutOf(options.stateDir).stateDir);
  try {
    requireRoom(state, 0);
    if (readStack(options.stateDir)?.state === 'running') {
      reportRunning(options);
      return 0;
    }
    requireRoom(state);
    // Nothing fetches it: that it is missing is said before any build.
    if (temporalOf({ options }) === 'postgresql') await findPostgresql();
    await prepare(needsOfStack(options));
  } catch (error) {
    console.error(messageOf(error));
    return 1;
  }
  const view = startView();
  const { promise, resolve } = Promise.withResolvers<StartOutcome>();
  let show = (message: SupervisorMessage): void => view.show(message);
  const supervisor = launchSupervisor(options, (message) => {
    show(message);
    // Once the list of steps is drawn, news are printed as they come.
    if (message.type === 'ready') show = printNews;
    const outcome = outcomeOf(message);
    if (outcome !== undefined) resolve(outcome);
  });
  stopOnSignals(supervisor, process);
  void supervisor.ended.then(() => resolve({ type: 'ended' }));
  const outcome = await promise;
  await view.close();
  switch (outcome.type) {
    case 'ready':
      console.log(
        summaryOf(outcome.stack, { title: 'The local stack is ready.', detached: detach }),
      );
      return detach ? letGo(supervisor) : await untilEnd(supervisor);
    case 'alreadyRunning':
      reportRunning(options);
      return 0;
    case 'ended':
      return await reportEnd(options, supervisor, outcome.reason);
  }
}

function outcomeOf(message: SupervisorMessage): StartOutcome | undefined {
  if (message.type === 'ready') return { type: 'ready', stack: message.stack };
  if (message.type === 'alreadyRunning') return { type: 'alreadyRunning' };
  if (message.type === 'failed') return { type: 'ended', reason: message.text };
  return undefined;
}

function printNews(message: SupervisorMessage): void {
  const time = new Date().toLocaleTimeString('en-GB');
  if (message.type === 'news') console.log(`${time}  ${message.text}`);
  if (message.type === 'failed') console.error(`${time}  ${message.text}`);
}

function letGo(supervisor: Supervisor): number {
  supervisor.send({ type: 'detach' });
  supervisor.process.disconnect();
  supervisor.process.unref();
  return 0;
}

async function untilEnd(supervisor: Supervisor): Promise<number> {
  const code = await supervisor.ended;
  if (code === undefined) console.error('The stack was killed.');
  return code ?? 1;
}

/** It ended before it was ready: asked to, by a fault, or killed. */
async function reportEnd(
  options: StackOptions,
  supervisor: Supervisor,
  reason?: string,
): Promise<number> {
  const code = await untilEnd(supervisor);
  if (reason !== undefined) console.error(reason);
  if (code !== 0) {
    console.error(`The stack did not start. Its logs are in ${layoutOf(options.stateDir).logs}`);
  }
  return code;
}

function reportRunning(options: StackOptions): void {
  const stack = readStack(options.stateDir);
  for (const option of ignoredOptions(options, stack))
    console.log(`${option} does nothing to a running stack: run npm stop first.`);
  if (stack?.state === 'running') {
    const title = `A local stack is running already (process ${stack.supervisor.pid}).`;
    console.log(summaryOf(stack, { title, detached: true }));
    return;
  }
  const pid = lockHolder(layoutOf(options.stateDir).lockFile)?.pid;
  console.log(`A local stack is about to start or stop already (process ${pid}).`);
}

const command = readCommand();
if (command.help) console.log(startUsage);
else process.exitCode = await start(command.options, command.detach);
