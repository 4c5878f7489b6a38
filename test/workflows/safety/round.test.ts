import type { SafetyReport } from '../../../workflows/contracts/safety-activities.ts';
import { detailsOf, isByInterval } from '../../../workflows/safety/round.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { resultOf } from '../../support/result-of.ts';

const temporal = TemporalForTests.ofFile();

const report: SafetyReport = {
  namespaces: 3,
  made: 4,
  found: 1,
  postponed: 1,
  last: [
    {
      namespace: 'shoot',
      checks: [
        {
          check: 'overshoot',
          at: '2026-01-01T12:00:00Z',
          outcome: 'triggered',
          why: '1 to freeze or thaw',
        },
        { check: 'reachability', at: '2026-01-01T12:00:00Z', outcome: 'nothing' },
      ],
    },
  ],
};

test('a round has one activity, and its report is its result', async () => {
  const asked: object[] = [];
  const kube = {
    async checkNamespaces(input: object) {
      asked.push(input);
      return report;
    },
  };
  const result = await temporal.withWorkers('round', { kube }, async () => {
    const handle = await temporal.client.workflow.start('safety', {
      taskQueue: 'round',
      workflowId: 'safety/all/shoot-2026-01-01T12:00:07Z',
      args: [{ cluster: 'one', everySeconds: 60, offsetSeconds: 7 }],
    });
    return await resultOf(handle);
  });
  expect(result).toEqual(report);
  expect(asked).toEqual([{ all: false }]);
});

test.each([
  ['safety/all/shoot-2026-01-01T12:00:07Z', true],
  ['safety/all/shoot-2026-01-01T12:03:07Z', true],
  ['safety/all/shoot-2026-01-01T12:03:09Z', false],
  ['by-hand', false],
])('the run %s is one of the interval: %s', (workflowId, isSo) => {
  expect(isByInterval(workflowId, { everySeconds: 60, offsetSeconds: 7 })).toBe(isSo);
});

test('its page says what was checked, when, and what was found', () => {
  expect(detailsOf(report)).toBe(
    [
      '### 4 checks of 3 namespaces, 1 with a finding',
      '- **shoot**',
      '  - `overshoot` at 2026-01-01T12:00:00Z: found, and its run started: 1 to freeze or thaw',
      '  - `reachability` at 2026-01-01T12:00:00Z: nothing to do',
      '- 2 other namespaces',
      '- **Next run:** 1 namespaces whose turn did not come',
    ].join('\n'),
  );
});
