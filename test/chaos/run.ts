/** `npm run chaos -- --minutes 30 --seed 7`: does everything survive? */
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { runChaos, type ChaosOptions } from './chaos.ts';
import { commandOf, parseChaosArguments, usage, type ChaosCommand } from './options.ts';
import { summaryOf } from './summary.ts';
import { actionLogOf } from './world.ts';

function readCommand(): ChaosCommand {
  try {
    return parseChaosArguments(process.argv.slice(2), {
      seed: randomInt(2 ** 31),
      stateDir: join('.millwright', 'chaos'),
    });
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
}

async function run(options: ChaosOptions): Promise<number> {
  const command = commandOf(options);
  console.log(command);
  const tally = await runChaos(options);
  console.log(`\n${summaryOf(tally)}`);
  if (tally.violations.length === 0) return 0;
  console.log(`\nActions: ${actionLogOf(options.stateDir)}\nThe same again: ${command}`);
  return 1;
}

const command = readCommand();
if (command.help) console.log(usage);
else process.exitCode = await run(command.options);
