import { summaryOf } from './summary.ts';
import { Tally } from './tally.ts';

test('a summary has the kills, the times of those that were alone, and every violation', () => {
  const tally = new Tally();
  tally.add('kill', 'worker');
  tally.add('kill', 'worker');
  tally.add('kill', 'temporal');
  tally.add('fault', 'hang', 3);
  tally.settleSeconds.push(2, 4);
  tally.recoveries = [
    { killed: 'worker', seconds: 4, isDisturbed: false },
    { killed: 'worker', seconds: 90, isDisturbed: true },
    { killed: 'temporal', seconds: 9, isDisturbed: true },
  ];
  tally.violations.push('no Node without a VM: Node old has no VM');
  expect(summaryOf(tally).split('\n')).toEqual(
    expect.arrayContaining([
      'kills              temporal 1, worker 2',
      'faults that fired  hang 3',
      'quiet points       2, reached after p50 4.0 s, max 4.0 s',
      '  temporal: no times; left out with another kill in them: 1',
      '  worker: p50 4.00 s, p95 4.00 s, max 4.00 s of 1; left out with another kill in them: 1',
      'violations         1',
      '  no Node without a VM: Node old has no VM',
    ]),
  );
});
