/**
 * docs/runbooks: a page for each trouble, in one form, whose commands are carried out by the test
 * that it names.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../../deploy/local/layout.ts';
import { textOf } from '../docs/pages.ts';
import { RunbookPage, runbookFolder } from '../e2e/support/runbook-page.ts';

const sections = [
  'Symptom',
  'Look',
  'Repair',
  'When it does not help',
  'How this page is tested',
] as const;
/** Pages about a task, which have steps. */
const ofTasks = ['control-plane-migration', 'restore-from-backup'];

interface Row {
  trouble: string;
  alerts: string[];
}

/** Rows of a table whose first cell is a trouble and whose last one has its alerts. */
function rowsIn(text: string): Row[] {
  const rows = text.matchAll(/^\| +[`[]([-a-z]+)[`\]] +\|.*\|([^|]*`Millwright[^|]*)\|$/gm);
  return [...rows].map(([, trouble = '', cell = '']) => ({
    trouble,
    alerts: [...cell.matchAll(/`(Millwright\w+)`/g)].map(([, alert = '']) => alert),
  }));
}

const decided = rowsIn(textOf('docs/decisions/0049-operator-surface.md'));
const files = readdirSync(join(repository, runbookFolder)).filter((file) => file !== 'README.md');
const pages = files.map((file) => file.replace(/\.md$/, ''));
const troubles = pages.filter((page) => !ofTasks.includes(page));

/** What a shell command sets for itself: an assignment, a loop, `read`. */
const ownVariables = (commands: string): Set<string> =>
  new Set(
    [
      ...commands.matchAll(/^\s*([A-Za-z_]+)=/gm),
      ...commands.matchAll(/\bfor ([a-z_]+) in\b/g),
      ...commands.matchAll(/--(?:arg|rawfile) ([a-z]+) /g),
    ].map(([, name = '']) => name),
  );

const usedVariables = (commands: string): string[] => [
  ...new Set(
    [...commands.matchAll(/(?<!\\)\$\{?([A-Za-z_]+)|\benv\.([A-Z_]+)/g)].map(
      ([, name, inJq]) => name ?? inJq ?? '',
    ),
  ),
];

test('decision 49 is read', () => {
  expect(decided.length).toBeGreaterThanOrEqual(20);
  expect(decided).toContainEqual({
    trouble: 'temporal-down',
    alerts: ['MillwrightTemporalDown'],
  });
  expect(decided.filter(({ alerts }) => alerts.length === 0)).toEqual([]);
});

test('every trouble of decision 49 has a page, and no other has one', () => {
  expect(troubles.toSorted()).toEqual(decided.map(({ trouble }) => trouble).toSorted());
});

test('the index has every page, each trouble with its alerts', () => {
  const index = textOf(`${runbookFolder}/README.md`);
  expect(rowsIn(index)).toEqual(decided);
  const isLinked = (page: string): boolean =>
    index.includes(`](${page}.md)`) || index.includes(`\n[${page}]: ${page}.md`);
  expect(pages.filter((page) => !isLinked(page))).toEqual([]);
});

describe.each(troubles)('the page of %s', (trouble) => {
  const page = new RunbookPage(`${trouble}.md`);
  const commands = page.commands.join('\n');

  test('has its name as its title, and the sections of a runbook', () => {
    expect(page.text).toMatch(new RegExp(`^# ${trouble}: `));
    expect(page.sections).toEqual(sections);
  });

  test('names its alerts', () => {
    const { alerts = [] } = decided.find((row) => row.trouble === trouble) ?? {};
    expect(alerts.filter((alert) => !page.text.includes(`\`${alert}\``))).toEqual([]);
  });

  test('uses the variables that it asks to set, and no others', () => {
    const own = ownVariables(commands);
    const used = usedVariables(commands).filter((name) => !own.has(name));
    // kubectl and temporal read these by themselves.
    const read = ['KUBECONFIG', 'TEMPORAL_ADDRESS'];
    expect(used.filter((name) => !page.variables.includes(name))).toEqual([]);
    expect(page.variables.filter((name) => !used.includes(name) && !read.includes(name))).toEqual(
      [],
    );
  });

  test('has each of its commands carried out by a test that it names', () => {
    const [, section = ''] = page.text.split('\n## How this page is tested\n');
    const tests = [...section.matchAll(/`(test\/e2e\/[-\w/]+\.test\.ts)`/g)];
    const code = tests.map(([, file = '']) => textOf(file)).join('\n');
    expect(code).toContain(`'${trouble}'`);
    const untested = page.headingsWithCommands.filter(
      (heading) => !code.includes(`run('${heading}')`),
    );
    expect(untested).toEqual([]);
  });

  test('is about one screen', () => {
    expect(page.text.split('\n').length).toBeLessThan(110);
  });
});
