/**
 * Whole rollouts as text, for people who review what a planner decides: `UPDATE_GOLDEN=1` writes
 * them anew.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { wordsOf } from '../../../../../cli/plan/report.ts';
import { simulatePart } from '../../../../../cli/plan/simulation.ts';
import { formatDuration } from '../../../../../workflows/api/duration.ts';
import type { MachineSet } from '../../../../../workflows/api/machine-set.ts';
import type { Story } from './story.ts';
import { changed, classOf, pictureOf, poolOf } from './story.ts';

const start = Date.parse('2026-01-02T00:00:00Z');
const minute = 60_000;
const pace = { creation: 3 * minute, deletion: 2 * minute };
/** By then all rollouts are over, or will never be. */
const end = start + 120 * minute;

function tell(story: Story): string {
  const lines = [story.title, `        ${story.settings.slice(1, -1)}`, ''];
  let pool = poolOf(story);
  let told = { state: '', reason: '' };
  let now = start;
  let nextAt: number | undefined;
  const pass = (until: number): void => {
    const outcome = simulatePart(pool, pace, { now, until });
    const { plan, happenings } = outcome;
    if (outcome.isCut || until > end) throw new Error(`${story.title}: has no end`);
    const { state, reason, blockedBy } = plan;
    const texts = happenings.filter((one) => one.reason !== undefined).map(wordsOf);
    const by = blockedBy === undefined ? '' : ` (${blockedBy})`;
    if (state !== told.state) texts.push(`${state}${by}: ${reason}`);
    else if (texts.length === 0 && reason !== told.reason) texts.push(reason);
    if (texts.length > 0) lines.push(...linesOf(until, pictureOf(outcome.objects), texts));
    told = { state, reason };
    ({ objects: pool, nextAt } = outcome);
    now = until;
  };
  const passUntil = (until: number): void => {
    while (nextAt !== undefined && nextAt <= until) pass(nextAt);
  };
  const events = Object.entries(story.events).map(([at, event]) => ({ at: Number(at), event }));
  for (const { at, event } of events.toSorted((a, b) => a.at - b.at)) {
    passUntil(start + at * minute);
    now = start + at * minute;
    lines.push(`${timeOf(now)}  -- ${event}`);
    pool = changed(pool, event, now);
    pass(now);
  }
  passUntil(Infinity);
  // A reader knows a template by its class.
  const named = (text: string, set: MachineSet): string =>
    text.replaceAll(set.metadata.name, classOf(set));
  return pool.sets.reduce(named, `${lines.join('\n')}\n`);
}

const timeOf = (at: number): string => formatDuration((at - start) / 1_000).padStart(6);

function linesOf(at: number, picture: string, texts: readonly string[]): string[] {
  const words = texts.flatMap((text) => text.replaceAll('; ', ';\n  ').split('\n'));
  return words.map((text, index) =>
    index === 0 ? `${timeOf(at)}  ${picture.padEnd(26)}${text}` : `${' '.repeat(34)}${text}`,
  );
}

const stories: Record<string, Story[]> = parse(
  await readFile(new URL('stories.yaml', import.meta.url), 'utf8'),
);

const legend =
  '# runs, o comes, x goes, ! failed, ? is not heard of; 3 minutes to come, 2 to go\n\n\n';

async function compare(file: URL, textAfter: (kept: string) => string): Promise<void> {
  const kept = await readFile(file, 'utf8').catch(() => '');
  const text = textAfter(kept);
  if (process.env['UPDATE_GOLDEN'] === '1') await writeFile(file, text);
  else expect(kept).toBe(text);
}

test.each(Object.entries(stories))('the rollouts of %s', async (name, told) => {
  const text = `${legend}${told.map(tell).join('\n\n')}`;
  await compare(new URL(`${name}.txt`, import.meta.url), () => text);
});

test('docs/rollouts.md tells one of them', async () => {
  const story = stories['rolling-update']?.[2];
  expect(story).toBeDefined();
  const block = `\`\`\`text\n${story ? tell(story) : ''}\`\`\``;
  const page = new URL('../../../../../docs/rollouts.md', import.meta.url);
  await compare(page, (kept) => kept.replace(/```text\n[^`]*```/, () => block));
});
