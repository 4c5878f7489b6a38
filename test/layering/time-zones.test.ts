/**
 * Binaries of Node.js differ in what they know of time zones, so a replay elsewhere may not depend
 * on it: calendars are reckoned in activities, and workflows see milliseconds and words.
 */
import { readFile } from 'node:fs/promises';
import { bundleForTests } from '../support/workflow-bundle.ts';
import { readSource, sourcesIn } from './sources.ts';

/** Code that asks for a zone, that of the host included. */
const asksForZone =
  /\bIntl\b|\btoLocale\w*String\b|\bgetTimezoneOffset\b|\bget(?:FullYear|Month|Date|Day|Hours|Minutes)\(/;

test('no workflow bundle has Intl or a library of calendars', async () => {
  const { codePath } = await bundleForTests();
  const code = await readFile(codePath, 'utf8');
  expect(code.length).toBeGreaterThan(100_000);
  // Their packages are named by the bundler, each module with its path.
  expect(code.match(/\bIntl\b|node_modules\/(?:croner|luxon)\b/g) ?? []).toEqual([]);
});

test('no workflow code asks for a time zone', () => {
  const asking = sourcesIn(['workflows']).filter((file) => asksForZone.test(readSource(file)));
  expect(asking).toEqual([]);
});

test('only the calendar of activities does', () => {
  const asking = sourcesIn(['activities', 'kube', 'watcher', 'workers']).filter((file) =>
    /\bIntl\b|from 'croner'/.test(readSource(file)),
  );
  expect(asking).toEqual([
    'activities/disruption/schedule.ts',
    'activities/disruption/time-zone.ts',
  ]);
});
