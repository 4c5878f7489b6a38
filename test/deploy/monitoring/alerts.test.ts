/** When alerts fire, by promtool; and that its tests notice a rule that is broken. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { preparedBinary } from '../../../deploy/local/binaries/acquire.ts';
import { runProgram } from '../../../deploy/local/binaries/program.ts';
import {
  readRules,
  rulesFile,
  ruleTestsFolder,
  type AlertRule,
} from '../../../deploy/monitoring/rules.ts';
import { isNight } from '../../e2e/support/test-stack.ts';

let promtool: string;
let folder: string;

beforeAll(async () => {
  promtool = await preparedBinary('promtool');
  folder = mkdtempSync(join(tmpdir(), 'millwright-rules-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const testFiles = readdirSync(ruleTestsFolder).map((name) => join(ruleTestsFolder, name));

test('Prometheus takes the rules', async () => {
  expect(
    await runProgram(promtool, ['check', 'rules', '--lint=all', '--lint-fatal', rulesFile]),
  ).toContain(`${allRules().length} rules found`);
});

test.each(testFiles.map((file) => ({ name: basename(file), file })))(
  'alerts fire when they should, and only then: $name',
  async ({ file }) => {
    expect(await runProgram(promtool, ['test', 'rules', file])).toContain('SUCCESS');
  },
);

describe('the tests of the rules notice that', () => {
  test.each(chosenOf(allRules().flatMap(mutationsOf)))('$name', async (mutation) => {
    await expect(runProgram(promtool, testsOf(mutation))).rejects.toThrow('ended with code 1');
  });
});

/** By day every fourth: each is a run of promtool. */
function chosenOf(mutations: readonly Mutation[]): Mutation[] {
  return mutations.filter((_mutation, index) => isNight() || index % 4 === 0);
}

interface Mutation {
  name: string;
  group: number;
  index: number;
  change: Partial<AlertRule>;
}

function allRules(): { rule: AlertRule; group: number; index: number }[] {
  return readRules().groups.flatMap(({ rules }, group) =>
    rules.map((rule, index) => ({ rule, group, index })),
  );
}

/** It never fires; it does not wait; one of its comparisons is always true. */
function mutationsOf({ rule, group, index }: ReturnType<typeof allRules>[number]): Mutation[] {
  const { alert, expr } = rule;
  const name = [alert, rule.labels.cause].filter((part) => part !== undefined).join(' ');
  const place = { group, index };
  const waits = rule.for !== '0m';
  return [
    {
      ...place,
      name: `${name} never fires`,
      change: { expr: `(${expr}) and on () vector(0) > 1` },
    },
    ...(waits ? [{ ...place, name: `${name} does not wait`, change: { for: '0m' } }] : []),
    ...[...expr.matchAll(/([<>]=?|==) \d+/g)].map((found) => {
      const always = found[1]?.startsWith('<') ? '< 1e18' : '> -1e18';
      const changed = `${expr.slice(0, found.index)}${always}${expr.slice(found.index + found[0].length)}`;
      return { ...place, name: `${name} forgets "${found[0]}"`, change: { expr: changed } };
    }),
  ];
}

/** Writes the changed rules and the tests beside each other. Only those of the alert are run. */
function testsOf({ group, index, change }: Mutation): string[] {
  const rules = readRules();
  const changed = rules.groups[group];
  const rule = changed?.rules[index];
  if (changed === undefined || rule === undefined) throw new Error(`no rule ${group}/${index}`);
  Object.assign(rule, change);
  const tests: RuleTests = parse(
    readFileSync(join(ruleTestsFolder, `${changed.name.replace('millwright-', '')}.yaml`), 'utf8'),
  );
  const own = tests.tests.filter(({ alert_rule_test: checks }) =>
    checks.some(({ alertname }) => alertname === rule.alert),
  );
  // JSON is YAML.
  writeFileSync(join(folder, 'rules.json'), JSON.stringify(rules));
  const file = join(folder, 'tests.json');
  writeFileSync(file, JSON.stringify({ ...tests, rule_files: ['rules.json'], tests: own }));
  return ['test', 'rules', file];
}

interface RuleTests {
  rule_files: string[];
  tests: { name: string; alert_rule_test: { alertname: string }[] }[];
}
