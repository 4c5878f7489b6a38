#!/usr/bin/env node
/** The command `millwright`. */
import { reasonOf } from '../workers/log/reason.ts';
import { command } from './command.ts';
import { connect } from './connect.ts';
import { type Asked, readArguments, UsageError } from './arguments.ts';
import { driverHelp } from './driver-help.ts';
import { showQueues } from './driver-queue.ts';
import type { SetupQuestion } from './setup-arguments.ts';
import { resume, showStop, stop } from './stop.ts';
import { help } from './help.ts';
import type { Common } from './options.ts';
import { withSdk } from './with-sdk.ts';

async function main(argv: readonly string[]): Promise<string> {
  const asked = readArguments(argv);
  if ('namespace' in asked) return await atPlace(asked);
  switch (asked.command) {
    case 'help':
      return help;
    case 'driver help':
      return driverHelp;
    case 'setup':
      return await setUp(asked);
    case 'codec-server': {
      const { serveCodec } = await withSdk('codec-server', () => import('./codec-server.ts'));
      return await serveCodec(asked);
    }
  }
}

async function atPlace(asked: Extract<Asked, Common>): Promise<string> {
  const place = connect(asked);
  try {
    switch (asked.command) {
      case 'stop':
        return await stop(place, asked);
      case 'status':
        return await showStop(place, asked);
      case 'resume':
        return await resume(place, asked);
      case 'command':
        return await command(place, asked);
      case 'queue':
        return await showQueues(place, asked);
      case 'verify': {
        const { verify } = await withSdk('driver verify', () => import('./driver.ts'));
        const { text, isPassed } = await verify(place, asked);
        if (!isPassed) process.exitCode = 1;
        return text;
      }
    }
  } finally {
    await place.kube.close();
  }
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
