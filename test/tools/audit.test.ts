import { evaluate, type AuditReport } from '../../tools/supply-chain/audit.ts';

const report: AuditReport = {
  vulnerabilities: {
    a: {
      via: [
        {
          name: 'a',
          title: 'reads too far',
          severity: 'high',
          url: 'https://github.com/advisories/GHSA-1',
        },
      ],
    },
    // Only because of the first.
    b: { via: ['a'] },
  },
};
const acceptance = { id: 'GHSA-1', reason: 'we never read', until: '2027-01-31' };
const today = '2027-01-31';

test('without advisories all is well', () => {
  const { lines, result } = evaluate({ vulnerabilities: {} }, [], today);
  expect({ lines, result }).toEqual({
    lines: ['No package has a known advisory.'],
    result: 'well',
  });
});

test('an advisory that is not accepted is refused', () => {
  expect(evaluate(report, [], today)).toEqual({
    lines: ['high: a: reads too far (https://github.com/advisories/GHSA-1)'],
    result: 'refused',
  });
});

test('an accepted one is named with its reason, until its last day has passed', () => {
  const { lines, result } = evaluate(report, [acceptance], today);
  expect(lines).toEqual([expect.stringMatching('^accepted until 2027-01-31, .*: we never read$')]);
  expect(result).toBe('well');
  expect(evaluate(report, [acceptance], '2027-02-01').result).toBe('refused');
});

test('an acceptance that is no longer needed is to be removed', () => {
  const { lines, result } = evaluate({ vulnerabilities: {} }, [acceptance], today);
  expect(lines).toEqual(['GHSA-1 is accepted and no longer reported: remove it']);
  expect(result).toBe('refused');
});

test('it is said when no service answers, and nothing is called well', () => {
  const { lines, result } = evaluate({ message: '405 Method Not Allowed' }, [], today);
  expect(lines).toEqual([
    'No advisory service answered, so nothing was audited: 405 Method Not Allowed',
  ]);
  expect(result).toBe('unanswered');
});
