/** `npm start`: starts the local stack, shows how that goes, and stays in the foreground until Ctrl-C. */
import { launchSupervisor, type Supervisor } from './launch.ts';
import { layoutOf } from './layout.ts';
import { parseStartArguments, startUsage, type StackOptions, type StartCommand } from './options.ts';
import { startView } from './start-view.ts';
import { readStack } from './stack.ts';
import type { SupervisorMessage } from './supervision/messages.ts';
import { deferred } from './supervision/deferred.ts';
import type { Stack } from './supervision/stack-file.ts';
import { summaryOf } from './summary.ts';

function readCommand(): StartCommand {
  try {
    return parseStartArguments(process.argv.slice(2));
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${startUsage}`);
    process.exit(2);
  }
}

async function start(options: StackOptions, detach: boolean): Promise<number> {
  const view = startView();
  const { promise: outcome, resolve } = deferred<Stack | number>();
  let isReady = false;
  const supervisor = launchSupervisor(options, (message) => {
    // Once the list of steps is drawn, news are printed as they come.
    if (isReady) printLater(message);
    else view.show(message);
    if (message.type === 'ready') {
      isReady = true;
      resolve(message.stack);
    }
    if (message.type === 'alreadyRunning') resolve(0);
  });
  stopOnSignals(supervisor);
  void supervisor.ended.then((code) => resolve(code ?? 1));
  const stack = await outcome;
  await view.close();
  if (typeof stack === 'number') return await endedEarly(options, supervisor);
  console.log(summaryOf(stack, { isDetached: detach }));
  if (!detach) return (await supervisor.ended) ?? 1;
  supervisor.send({ type: 'detach' });
  supervisor.process.disconnect();
  supervisor.process.unref();
  return 0;
}

function printLater(message: SupervisorMessage): void {
  if (message.type === 'news') console.log(`${clock()}  ${message.text}`);
  if (message.type === 'failed') console.error(`${clock()}  ${message.text}`);
}

function clock(): string {
  return new Date().toLocaleTimeString('en-GB');
}

/** The supervisor found another one at work, failed, or was stopped before it was ready. */
async function endedEarly(options: StackOptions, supervisor: Supervisor): Promise<number> {
  const code = (await supervisor.ended) ?? 1;
  if (code === 0) reportRunning(options);
  else console.error(`The stack did not start. Its logs are in ${layoutOf(options.stateDir).logs}`);
  return code;
}

function reportRunning(options: StackOptions): void {
  const stack = readStack(options.stateDir);
  if (stack === undefined) return;
  if (options.fresh) console.log('--fresh does nothing to a running stack: run npm stop first.');
  console.log(`A local stack is running already (process ${stack.supervisor.pid}).`);
  console.log(summaryOf(stack, { isDetached: true }));
}

/** The first signal asks for an orderly end; a second one does not wait for it. */
function stopOnSignals(supervisor: Supervisor): void {
  let asked = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (asked) supervisor.process.kill('SIGKILL');
      else {
        console.log('\nStopping ...');
        supervisor.send({ type: 'stop' });
      }
      asked = true;
    });
  }
}

const command = readCommand();
if (command.help) console.log(startUsage);
else process.exitCode = await start(command.options, command.detach);
