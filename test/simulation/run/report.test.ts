import { Timeline } from '../engine/timeline.ts';
import { fullReportOf, reportOf, type Reported } from './report.ts';
import { startMs } from './simulator.ts';
import { namesIn } from './subject.ts';

describe('the names in a violation', () => {
  test.each([
    ['Machine default/pool-one-a1b2c has two instances', ['pool-one-a1b2c']],
    ['virtual:///zone-1/i-0007 was deleted, its Node is Ready', ['i-0007']],
    ['machine "pool-one-bcdfg" waits for 30s since 01:02:03.004', ['pool-one-bcdfg']],
    ['i-1, i-2 and again i-1', ['i-1', 'i-2']],
    ['a re-created object came to rest after 1h30m at 2026-01-01T01:02:03Z', []],
    ['409 of 1,000 calls', []],
  ])('%s: %j', (text, names) => {
    expect(namesIn(text)).toEqual(names);
  });

  test('are the first eight', () => {
    expect(namesIn('i-1 i-2 i-3 i-4 i-5 i-6 i-7 i-8 i-9')).toHaveLength(8);
  });
});

const setup = { seed: 7, machines: 3, hours: 1.5, faults: ['kills'], users: [] };

function reportedWith(text: string, notes: readonly string[]): Reported {
  const timeline = new Timeline(startMs);
  for (const [index, what] of notes.entries())
    timeline.add({ at: startMs + index, who: 'cloud', what });
  return {
    violation: { at: startMs + 5_400_000, rule: 'one instance per token', text },
    original: { ...setup, machines: 50, hours: 24, faults: ['kills', 'outages'] },
    setup,
    tries: 12,
    timeline,
    kinds: { faults: ['kills', 'outages'], users: ['scale'] },
    file: 'seed-7.txt',
  };
}

const manyNotes = Array.from({ length: 200 }, (_, index) => `i-0007 step ${index} of i-${index}`);

describe('a report', () => {
  const reported = reportedWith('two of i-0007', [...manyNotes, 'i-0008 is there']);

  test('has the rule, what it was shrunk to, and the command', () => {
    const report = reportOf(reported);
    expect(report).toContain('Seed 7, 01:30:00.000: broken: one instance per token\n  two of');
    expect(report).toContain(
      'from 50 machines, 24 h, faults: kills outages, users: none\nto 3 machines, 1.5 h, faults: kills, users: none',
    );
    expect(report).toContain(
      '\n  npm run simulate -- --seed 7 --machines 3 --hours 1.5 --faults kills --users none\n',
    );
  });

  test('has the last lines about what the violation names', () => {
    const report = reportOf(reported);
    expect(report).toContain('Timeline with i-0007, 80 of 200 lines:\n');
    expect(report).toContain('00:00:00.120  cloud           i-0007 step 120');
    expect(report).not.toContain('step 119');
    expect(report).not.toContain('i-0008');
  });

  test('has the last lines of all where the violation names nothing', () => {
    const report = reportOf(reportedWith('the world does not rest', ['one', 'two']));
    expect(report).toContain('Timeline, 2 of 2 lines:\n00:00:00.000  cloud           one\n');
  });

  test('says nothing of shrinking where there was none', () => {
    expect(reportOf({ ...reported, tries: 0 })).not.toContain('Shrunk');
  });

  test('has every line in its file', () => {
    const full = fullReportOf(reported);
    expect(full).toContain('step 0 ');
    expect(full).toContain('i-0008 is there\n');
    expect(full).toContain('npm run simulate -- --seed 7');
  });
});
