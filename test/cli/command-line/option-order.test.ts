import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createCommands } from '../../../cli/program.ts';
import { optionsBehindCommand } from '../../../cli/command-line/option-order.ts';
import { repository } from '../../../deploy/local/layout.ts';
import type { Command } from 'commander';

const program = createCommands(async () => {}, {});

test.each([
  ['-n x status', 'status -n x'],
  ['-nx --kubeconfig=f status -o json', 'status -nx --kubeconfig=f -o json'],
  [
    '-n x rollout --context c status mcd/a --watch',
    'rollout status -n x --context c mcd/a --watch',
  ],
  ['-A stuck', 'stuck -A'],
  ['--watch=false -n x rollout status mcd/a', 'rollout status --watch=false -n x mcd/a'],
  // What is no command is the value of the option, or an argument.
  ['-n status stuck', 'stuck -n status'],
  ['explain status -n x', 'explain status -n x'],
  ['driver verify -- -n status', 'driver verify -- -n status'],
  ['--no-such status', '--no-such status'],
  ['-n x', '-n x'],
  ['-n', '-n'],
  ['--help', '--help'],
  ['', ''],
])('%j is read as %j', (line, expected) => {
  const words = line.split(' ').filter((word) => word !== '');
  expect(optionsBehindCommand(program, words).join(' ')).toBe(expected);
});

test('an option has a value in all commands or in none', () => {
  const kinds = new Map<string, Set<boolean>>();
  const note = ({ commands, options }: Command): void => {
    for (const { short, long, required } of options)
      for (const flag of [short, long])
        if (flag) kinds.set(flag, (kinds.get(flag) ?? new Set()).add(required));
    commands.forEach(note);
  };
  note(program);
  const several = [...kinds].filter(([, values]) => values.size > 1);
  expect(several.map(([flag]) => flag)).toEqual([]);
});

function millwright(...words: string[]): string {
  const entrance = join(repository, 'cli/millwright.ts');
  const { stdout, stderr } = spawnSync(process.execPath, [entrance, ...words], {
    encoding: 'utf8',
  });
  return `${stdout}${stderr}`;
}

test('the command takes options in front of its name, and says which it does not have', () => {
  const nowhere = millwright('--kubeconfig', '/nowhere', '-n', 'x', 'status');
  expect(nowhere).toContain('/nowhere');
  expect(nowhere).not.toContain('unknown option');
  expect(millwright('-n', 'x', 'runbook', 'quota')).toContain("unknown option '-n'");
});
