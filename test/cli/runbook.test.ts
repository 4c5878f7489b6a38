import { readFileSync } from 'node:fs';
import { runbook } from '../../cli/runbook/runbook.ts';
import { troubles } from '../../cli/diagnosis/trouble.ts';
import { readRules, troublesOf } from '../../deploy/monitoring/rules.ts';
import { readArguments } from '../support/command-line.ts';

test('each trouble that a command or an alert names has its page', () => {
  const rules = readRules().groups.flatMap((group) => group.rules);
  for (const name of new Set([...troubles, ...rules.flatMap(troublesOf)])) {
    const page = readFileSync(`docs/runbooks/${name}.md`, 'utf8');
    expect(runbook({ name })).toMatchObject({ text: page.trimEnd(), data: { name } });
  }
});

test('without a name it lists them; of another name it says which there are', () => {
  expect(readArguments(['runbook', 'quota'])).toMatchObject({ name: 'quota' });
  const { text, names } = runbook({ name: undefined });
  expect(text).toMatch(/^drain-budget: .+$/m);
  expect(names).toEqual(expect.arrayContaining([...troubles]));
  expect(() => runbook({ name: '../README' })).toThrow('drain-budget');
});
