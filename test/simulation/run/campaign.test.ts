import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCampaign, type Campaign } from './campaign.ts';
import * as fake from './fake-simulator.ts';
import type { SeedResult } from './seed-result.ts';
import { crashRule } from './simulator.ts';
import type { Tally } from './tally.ts';

const module = new URL('./fake-simulator.ts', import.meta.url).href;
const kinds = { faults: fake.faultNames, users: fake.userNames };
const setup = { seed: 1, machines: 4, hours: 2, ...kinds };
const good = { ...setup, faults: [] };
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millwright-seeds-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

interface Ran {
  tally: Tally;
  results: SeedResult[];
  lines: string[];
}

async function ran(change: Partial<Campaign>): Promise<Ran> {
  const results: SeedResult[] = [];
  const lines: string[] = [];
  const campaign: Campaign = {
    setup: good,
    seeds: 1,
    cpuMinutes: Infinity,
    jobs: 1,
    isBailing: false,
    isShrinking: true,
    ...change,
  };
  const tally = await runCampaign(campaign, {
    module,
    folder,
    onProgress: (line) => void lines.push(line),
    onResult: (result) => void results.push(result),
  });
  return { tally, results, lines };
}

const seedsOf = ({ results }: Ran): number[] =>
  results.map((result) => result.setup.seed).toSorted((a, b) => a - b);

test('seeds follow each other, each runs once, in processes side by side', async () => {
  const run = await ran({ seeds: 7, jobs: 3 });
  expect(seedsOf(run)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(run.tally).toMatchObject({ seeds: 7, lives: 28, simulatedHours: 14, violations: 0 });
  expect(run.tally.summary).toMatch(/^Seeds 1-7: 7 seeds, 28 lives, [\d.]+ lives per CPU second/);
  expect(run.lines.at(-1)).toContain('7 seeds, 28 lives');
});

test('after the largest seed comes 0', async () => {
  expect(seedsOf(await ran({ setup: { ...good, seed: 2 ** 32 - 1 }, seeds: 2 }))).toEqual([
    0,
    2 ** 32 - 1,
  ]);
});

test('no seed starts after the CPU minutes, but one that has started ends', async () => {
  const run = await ran({ seeds: Infinity, cpuMinutes: 1e-9 });
  expect(run.tally.seeds).toBe(1);
});

test('a failed seed does not end a run, unless that is asked for', async () => {
  expect((await ran({ setup, seeds: 3, isShrinking: false })).tally.failed).toHaveLength(3);
  const bailing = await ran({ setup, seeds: 3, isShrinking: false, isBailing: true });
  expect(bailing.tally.failed).toHaveLength(1);
  expect(bailing.tally.inJson(kinds)).toMatchObject({
    firstSeed: 1,
    lastSeed: 1,
    violations: 1,
    failures: [
      {
        seed: 1,
        rule: 'one instance per token',
        command: 'npm run simulate -- --seed 1 --machines 4 --hours 2 --faults all --users all',
        file: join(folder, 'seed-1.json'),
      },
    ],
  });
});

test('a process that dies is a failure of its seed, and the next seed has another process', async () => {
  const run = await ran({ setup: { ...good, seed: fake.dyingSeed }, seeds: 2 });
  const [died, next] = run.results;
  expect(died?.failure?.rule).toBe(crashRule);
  expect(died?.failure?.text).toContain('the process ended with 3');
  expect(next).toMatchObject({ setup: { seed: fake.goodSeed }, violations: 0 });
});
