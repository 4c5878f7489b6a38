/** What a person can do about a machine that waits. */
import type { Command } from 'commander';
import type { Run } from '../command-line/answer.ts';
import { inCluster } from '../connection/cluster.ts';
import type { ConsentOptions } from '../command-line/consent.ts';
import { withConsent } from '../command-line/consent.ts';
import { readReference, withReference } from '../command-line/object-reference.ts';
import type { ClusterOptions, OutputOptions } from '../command-line/options.ts';
import { wholeNumber, withCluster, withOutput } from '../command-line/options.ts';
import type { TargetOptions } from '../connection/target.ts';
import { withTarget } from '../connection/target.ts';
import type { MachineCommand } from '../../workflows/contracts/commands.ts';

export interface ActQuestion extends ClusterOptions, OutputOptions, ConsentOptions, TargetOptions {
  /** Of the Machine. */
  name: string;
  command: MachineCommand;
}

type Options = Omit<ActQuestion, 'name' | 'command'> & { minutes: number };

const about = `
It says what will happen, from what the Machine and its Node say now, and does it with --yes. A worker does it once;
the Event names you. Exit code 1: it was not done, or no worker has taken it yet, and it says which and why.`;

/** A week. */
const longestMinutes = 10_080;

export function addActs(parent: Command, run: Run): void {
  add(parent, run, {
    name: 'retry',
    verb: 'retryNow',
    summary: 'try at once what failed or is blocked: a creation, a deletion, a drain',
  });
  add(parent, run, {
    name: 'skip-drain',
    verb: 'skipDrain',
    summary: 'delete the instance of a blocked drain with the pods on it',
  });
  add(parent, run, {
    name: 'force-delete',
    verb: 'forceDelete',
    summary: 'delete the pods of a blocked drain without asking their budgets',
  });
  add(parent, run, {
    name: 'skip-volume-wait',
    verb: 'skipVolumeWait',
    summary: 'go on with a drain without waiting for volumes',
  });
  add(parent, run, {
    name: 'extend-drain',
    verb: 'extendDrain',
    summary: 'give a drain more time before pods are deleted by force',
  });
}

interface Act {
  name: string;
  verb: MachineCommand['verb'];
  summary: string;
}

function add(parent: Command, run: Run, { name, verb, summary }: Act): void {
  const takesMinutes = verb === 'extendDrain';
  const command = withReference(parent.command(name))
    .summary(summary)
    .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`);
  if (takesMinutes) {
    command.requiredOption(
      '--minutes <n>',
      'how much more time',
      wholeNumber([1, longestMinutes], 'minutes'),
    );
  }
  const example = `millwright ${name} machine/pool-86b9f-rpz4r${takesMinutes ? ' --minutes 30' : ''}`;
  withOutput(withConsent(withTarget(withCluster(command))))
    .addHelpText('after', `${about}\n\nExamples:\n  ${example}\n  ${example} --yes`)
    .action((words: string[], { minutes, ...options }: Options) =>
      run(
        {
          ...options,
          name: readReference(words, ['machine']).name,
          command: verb === 'extendDrain' ? { verb, minutes } : { verb },
        },
        carryOut,
      ),
    );
}

async function carryOut(asked: ActQuestion) {
  return await inCluster(asked, async (place) => {
    const { act } = await import('./act.ts');
    return await act(place, asked);
  });
}
