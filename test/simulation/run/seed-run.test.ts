import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fake from './fake-simulator.ts';
import { readSeedFile } from './seed-files.ts';
import { runSeed, type SeedRunOptions } from './seed-run.ts';
import { crashRule, type Setup, type Simulator } from './simulator.ts';

const { fakeSimulator } = fake;
const kinds = { faults: fake.faultNames, users: fake.userNames };
const setup: Setup = { seed: 7, machines: 20, hours: 12, ...kinds };
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millwright-seeds-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

function optionsWith(change: Partial<SeedRunOptions> = {}): SeedRunOptions {
  return { isShrinking: true, folder, say: () => undefined, ...change };
}

test('a good seed has numbers and no failure', async () => {
  const result = await runSeed(fakeSimulator, { ...setup, seed: fake.goodSeed }, optionsWith());
  expect(result).toMatchObject({ lives: 20, events: 100, simulatedMs: 43_200_000, violations: 0 });
  expect(result.failure).toBeUndefined();
});

test('a failed seed is shrunk and written down, for people and for --replay', async () => {
  const said: string[] = [];
  const say = (what: string): void => void said.push(what);
  const { failure } = await runSeed(fakeSimulator, setup, optionsWith({ say }));
  const small = { ...setup, machines: 3, hours: 1.5, faults: ['lostCalls', 'kills'] };
  expect(failure?.setup).toEqual({ ...small, users: ['scale'] });
  expect(readSeedFile(failure?.file ?? '', kinds)).toEqual(failure?.setup);
  const timeline = await readFile(join(folder, 'seed-7.txt'), 'utf8');
  expect(timeline).toContain('scales pool-one to 3');
  expect(said[0]).toMatch(/^seed 7 broke "one instance per token"; try 1 to shrink it: 20 mach/);
});

test('the report of a failed seed shows how it came to the violation', async () => {
  const { failure } = await runSeed(fakeSimulator, setup, optionsWith());
  expect(failure?.report).toContain('i-0007 is the second one');
});

test('a failed seed stays as it is when nothing is to be shrunk', async () => {
  const options = optionsWith({ isShrinking: false });
  const { failure, shrinkCpuSeconds } = await runSeed(fakeSimulator, setup, options);
  expect(failure?.setup).toEqual(setup);
  expect(shrinkCpuSeconds).toBeGreaterThan(0);
});

test('an error of the simulation is a violation', async () => {
  const broken = { ...setup, seed: fake.throwingSeed };
  const { failure } = await runSeed(fakeSimulator, broken, optionsWith());
  expect(failure?.rule).toBe(crashRule);
  expect(failure?.text).toContain('the fake world is broken');
  expect(failure?.setup).toMatchObject({ machines: 1, faults: [], users: [] });
});

test('a run that ends otherwise the next time is called that', async () => {
  let runs = 0;
  const once: Simulator = {
    ...fakeSimulator,
    async simulate(options) {
      runs += 1;
      const seed = runs === 1 ? options.seed : fake.goodSeed;
      return await fakeSimulator.simulate({ ...options, seed });
    },
  };
  const { failure } = await runSeed(once, setup, optionsWith());
  expect(failure?.report).toContain('something in it is not by seed');
  expect(failure?.setup).toEqual(setup);
});
