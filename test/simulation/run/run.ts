/** `npm run simulate -- --seed 7`: a whole world by one number. */
import { random } from '../../../activities/system/system.ts';
import { runCampaign, type Campaign } from './campaign.ts';
import { commandOf } from './command.ts';
import { useCompileCache } from './compile-cache.ts';
import { defectsMain } from './defects-main.ts';
import { parseArguments, usageOf, type SimulateCommand } from './options.ts';
import { ProgressLine } from './progress-line.ts';
import { readSeedFile } from './seed-files.ts';
import { listenerOn } from './show.ts';
import { loadSimulator } from './simulator.ts';
import type { Kinds } from './values.ts';

const defectsFlag = '--defects';
const args = process.argv.slice(2);

process.exitCode = args.includes(defectsFlag)
  ? await defectsMain(args.filter((one) => one !== defectsFlag))
  : await main();

async function main(): Promise<number> {
  useCompileCache();
  const { faultNames, userNames } = await loadSimulator();
  const kinds: Kinds = { faults: faultNames, users: userNames };
  let command: Campaign & Pick<SimulateCommand, 'output'>;
  try {
    const parsed = parseArguments(args, { seed: Math.floor(random() * 2 ** 31), kinds });
    if (parsed === 'help') {
      console.log(usageOf(kinds));
      return 0;
    }
    const { replay } = parsed;
    command = replay === undefined ? parsed : { ...parsed, setup: readSeedFile(replay, kinds) };
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return 2;
  }
  return await run(command, kinds);
}

async function run(
  command: Campaign & Pick<SimulateCommand, 'output'>,
  kinds: Kinds,
): Promise<number> {
  const isText = command.output === 'text';
  const line = new ProgressLine();
  console.error(commandOf(command.setup, kinds));
  // In JSON failures are a part of the whole.
  const tally = await runCampaign(command, listenerOn(line, isText));
  line.clear();
  console.log(isText ? tally.summary : JSON.stringify(tally.inJson(kinds), null, 2));
  return tally.failed.length === 0 ? 0 : 1;
}
