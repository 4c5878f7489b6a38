#!/usr/bin/env node
/** The command `millwright`. */
import { reasonOf } from '../workers/log/reason.ts';
import { command } from './command.ts';
import { connect } from './connect.ts';
import type { Asked } from './arguments.ts';
import { readArguments, UsageError } from './arguments.ts';
import { driverHelp } from './driver-help.ts';
import { showQueues } from './driver-queue.ts';
import type { OffboardQuestion } from './offboard-arguments.ts';
import type { SetupQuestion } from './setup-arguments.ts';
import type { Place } from './connect.ts';
import type { Migration } from './migrate/arguments.ts';
import { migrate } from './migrate/migrate.ts';
import { migrateHelp } from './migrate/help.ts';
import { resume, showStop, stop } from './stop.ts';
import { help } from './help.ts';
import type { Common } from './options.ts';
import { withSdk } from './with-sdk.ts';

const helpTexts = { help, 'driver help': driverHelp, 'migrate help': migrateHelp };

const isHelp = (asked: Asked): asked is Extract<Asked, { command: keyof typeof helpTexts }> =>
  Object.hasOwn(helpTexts, asked.command);

async function main(argv: readonly string[]): Promise<string> {
  const asked = readArguments(argv);
  if (isHelp(asked)) return helpTexts[asked.command];
  if (asked.command === 'setup') return await setUp(asked);
  if (asked.command === 'codec-server') {
    const { serveCodec } = await withSdk('codec-server', () => import('./codec-server.ts'));
    return await serveCodec(asked);
  }
  const place = connect(asked);
  try {
    return await ('mcmDeployments' in asked ? migrateIn(place, asked) : inCluster(place, asked));
  } finally {
    await place.kube.close();
  }
}

async function inCluster(
  place: Place,
  asked: Exclude<Extract<Asked, Common>, Migration>,
): Promise<string> {
  switch (asked.command) {
    case 'stop':
      return await stop(place, asked);
    case 'status':
      return await showStop(place, asked);
    case 'resume':
      return await resume(place, asked);
    case 'command':
      return await command(place, asked);
    case 'offboard':
      return await takeOff(place, asked);
    case 'queue':
      return await showQueues(place, asked);
    case 'verify': {
      const { verify } = await withSdk('driver verify', () => import('./driver.ts'));
      const { text, isPassed } = await verify(place, asked);
      if (!isPassed) process.exitCode = 1;
      return text;
    }
  }
}

async function migrateIn(place: Place, asked: Migration): Promise<string> {
  const { text, isWell } = await migrate(place, asked);
  if (!isWell) process.exitCode = 1;
  return text;
}

async function takeOff(place: Place, asked: OffboardQuestion): Promise<string> {
  const { offboard } = await withSdk('offboard', () => import('./offboard.ts'));
  const { text, isDone } = await offboard(place, asked);
  if (!isDone) process.exitCode = 1;
  return text;
}

async function setUp(asked: SetupQuestion): Promise<string> {
  const { setup } = await withSdk('setup', () => import('./setup.ts'));
  const { text, isReady } = await setup(asked);
  if (!isReady) process.exitCode = 1;
  return text;
}

try {
  console.log(await main(process.argv.slice(2)));
} catch (error) {
  console.error(reasonOf(error));
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
