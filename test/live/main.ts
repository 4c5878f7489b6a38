/** `npm run test:live`: the conformance kit against a real cloud. Never part of `npm test`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createDrivers } from '../../activities/drivers/index.ts';
import { liveHelp, readLiveArguments, WrongArguments } from './arguments.ts';
import type { LiveOptions } from './arguments.ts';
import { readManifests } from './manifests.ts';
import { runLive } from './run.ts';

async function main(): Promise<number> {
  const options = readLiveArguments(process.argv.slice(2));
  if (options.mode !== 'help') return (await runWith(options)) ? 0 : 1;
  console.log(liveHelp);
  return 0;
}

async function runWith(options: LiveOptions): Promise<boolean> {
  const { provider, allowsAmbientCredentials, allowsTokenFiles } = options;
  const manifests = await readManifests(options);
  const settings = { env: process.env, allowsAmbientCredentials, allowsTokenFiles };
  const driver = createDrivers(settings).get(provider);
  if (!driver) throw new Error(`no driver of provider ${provider}`);
  const end = new AbortController();
  const onSignal = (): void => {
    const isFirst = !end.signal.aborted;
    console.log(isFirst ? 'Ends; what was made is deleted first.' : 'It is being deleted, wait.');
    end.abort();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return await runLive({
    ...manifests,
    driver,
    options,
    signal: end.signal,
    print: (line) => console.log(line),
    sleep: async (seconds) => await sleep(seconds * 1_000),
  });
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof WrongArguments)) throw error;
  console.error(`${error.message}\n\n${liveHelp}`);
  process.exitCode = 2;
}
// Connections that the SDKs keep would hold the process for a while.
process.exit();
