#!/usr/bin/env node
/** The command `millwright`. */
import { reasonOf } from '../workers/log/reason.ts';
import { connect } from './connect.ts';
import { readArguments, UsageError } from './arguments.ts';
import { driverHelp } from './driver-help.ts';
import { showQueues } from './driver-queue.ts';
import { resume, showStop, stop } from './stop.ts';
import { help } from './help.ts';
import { loadVerify } from './load-verify.ts';

async function main(argv: readonly string[]): Promise<string> {
  const asked = readArguments(argv);
  if (asked.command === 'help') return help;
  if (asked.command === 'driver help') return driverHelp;
  const place = connect(asked);
  try {
    switch (asked.command) {
      case 'stop':
        return await stop(place, asked);
      case 'status':
        return await showStop(place, asked);
      case 'resume':
        return await resume(place, asked);
      case 'queue':
        return await showQueues(place, asked);
      case 'verify': {
        const { verify } = await loadVerify();
        const { text, isPassed } = await verify(place, asked);
        if (!isPassed) process.exitCode = 1;
        return text;
      }
    }
  } finally {
    await place.kube.close();
  }
}

try {
  console.log(await main(process.argv.slice(2)));
} catch (error) {
  console.error(reasonOf(error));
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
