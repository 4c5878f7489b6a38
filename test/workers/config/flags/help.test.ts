import { defaultOf } from '../../../../workers/config/flags/flag.ts';
import { flagNames, flagOf } from '../../../../workers/config/flags/table.ts';
import { helpText } from '../../../../workers/config/flags/help.ts';

describe.each(['watcher', 'worker'] as const)('the help of the %s', (component) => {
  const help = helpText({ component });
  const lines = help.split('\n');

  test.each(flagNames)('has --%s once, with its default and its sentence', (name) => {
    const flag = flagOf(name);
    const at = lines.findIndex((line) => new RegExp(`^ {2}--${name}( |$)`).test(line));
    expect(lines[at]).toContain(defaultOf(flag, { component }));
    expect(lines[at + 1]).toContain(flag.says);
    expect(lines.filter((line) => line.startsWith(`  --${name} `)).length).toBeLessThan(2);
  });

  test('ends with three examples that run the process', () => {
    expect(help.split('Examples:')[1]?.trim().split('\n')).toEqual([
      expect.stringContaining(`npm run ${component} -- --`),
      expect.stringContaining(`npm run ${component} -- --`),
      expect.stringContaining(`npm run ${component} -- --`),
    ]);
  });

  test('has no line break inside a sentence and no trailing blank', () => {
    expect(lines.filter((line) => line !== line.trimEnd())).toEqual([]);
  });
});

test('the sentence of each flag ends with a full stop', () => {
  const open = flagNames.filter((name) => {
    const { says, noop } = flagOf(name);
    return !says.endsWith('.') || noop?.endsWith('.') === false;
  });
  expect(open).toEqual([]);
});
