/**
 * Whole rollouts as text, for people who review what a planner decides: `UPDATE_GOLDEN=1` writes
 * them anew.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { wordsOf } from '../../../../../cli/plan/plan.ts';
import { simulate } from '../../../../../cli/plan/simulation.ts';
import { formatDuration } from '../../../../../workflows/api/duration.ts';
import type { MachineSet } from '../../../../../workflows/api/machine-set.ts';
import type { Story } from './story.ts';
import { changed, classOf, pictureOf, policiesOf, policyIn, poolOf } from './story.ts';

const start = Date.parse('2026-01-02T00:00:00Z');
const minute = 60_000;
const pace = { creation: 3 * minute, deletion: 2 * minute, drain: minute, update: 4 * minute };
/** By then all rollouts are over, or will never be. */
const end = start + 120 * minute;

function tell(story: Story): string {
  const lines = [story.title, `        ${story.settings.slice(1, -1)}`, ''];
  let pool = poolOf(story);
  let policy = policyIn(story.settings);
  let remembered = {};
  let told = { state: '', reason: '' };
  let now = start;
  /** The moment at which it goes on, if it does. */
  const pass = (until: number): number => {
    const part = { now, until, remembered, ...(policy && { policies: policiesOf(policy, start) }) };
    const { objects, nextAt, plan, happenings, isCut, ...rest } = simulate(pool, pace, part);
    remembered = rest.remembered;
    if (isCut || until > end) throw new Error(`${story.title}: has no end`);
    const { state, reason, blockedBy, next } = plan;
    const texts = happenings.filter((one) => one.reason !== undefined).map(wordsOf);
    const by = blockedBy === undefined ? '' : ` (${blockedBy})`;
    const then = next === undefined ? '' : `; ${next}`;
    if (state !== told.state) texts.push(`${state}${by}: ${reason}${then}`);
    else if (texts.length === 0 && reason !== told.reason) texts.push(reason);
    if (texts.length > 0) lines.push(...linesOf(until, pictureOf(objects), texts));
    told = { state, reason };
    pool = objects;
    now = until;
    return nextAt ?? Infinity;
  };
  const minutes = Object.keys(story.events)
    .map(Number)
    .toSorted((a, b) => a - b);
  for (const [index, at] of minutes.entries()) {
    now = start + at * minute;
    const event = story.events[at] ?? '';
    lines.push(`${timeOf(now)}  -- ${event}`);
    pool = changed(pool, event, now);
    policy = policyIn(event) ?? policy;
    const until = start + (minutes[index + 1] ?? Infinity) * minute;
    for (let next = pass(now); next < Infinity && next <= until;) next = pass(next);
  }
  return pool.sets.reduce(named, `${lines.join('\n')}\n`);
}

/** A reader knows a template by its class. */
const named = (text: string, set: MachineSet): string =>
  text.replaceAll(set.metadata.name, classOf(set));

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

const legend = '# runs, o comes, x goes, ! failed, ? is not heard of; 3 minutes to come, 2 to go\n';

const legends: Record<string, string> = {
  'in-place': `${legend}d is drained, 1 minute, u updated in place, 4, f its update failed\n`,
};

/** What the file has, and what it should have; the same once it was written anew. */
async function contentsOf(file: URL, textAfter: (kept: string) => string): Promise<string[]> {
  if (process.env['UPDATE_GOLDEN'] === '1') {
    await writeFile(file, textAfter(await readFile(file, 'utf8').catch(() => '')));
  }
  const kept = await readFile(file, 'utf8');
  return [kept, textAfter(kept)];
}

test.each(Object.entries(stories))('the rollouts of %s', async (name, told) => {
  const text = `${legends[name] ?? legend}\n\n${told.map(tell).join('\n\n')}`;
  const [kept, wanted] = await contentsOf(new URL(`${name}.txt`, import.meta.url), () => text);
  expect(kept).toBe(wanted);
});

test('docs/rollouts.md tells one of them', async () => {
  const [told = ''] = (stories['rolling-update'] ?? []).slice(3).map(tell);
  const page = new URL('../../../../../docs/rollouts.md', import.meta.url);
  const [kept, wanted] = await contentsOf(page, (text) =>
    text.replace(/```text\n[^`]*```/, () => `\`\`\`text\n${told}\`\`\``),
  );
  expect(kept).toBe(wanted);
  expect(told).toContain('Complete');
});
