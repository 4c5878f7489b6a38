import { overrideReport } from '../../../workflows/machine-deployment/policy-override.ts';

const now = Date.parse('2026-01-30T22:00:00Z');
const until = Date.parse('2026-01-31T22:00:00Z');
const options = { autoRollback: false, faults: [] };
const overridden = { ...options, overridePolicies: { until, reason: 'CVE-2026-1234 (by ada)' } };
const said = '2026-01-31T22:00:00Z: CVE-2026-1234 (by ada)';

describe('Events', () => {
  test('name end, reason and author at the begin, and the override at the end', () => {
    expect(overrideReport(overridden, undefined, now)).toEqual({
      report: {
        type: 'Normal',
        reason: 'PolicyOverridden',
        message:
          'Windows and exclusions of DisruptionPolicies do not count until 2026-01-31T22:00:00Z: CVE-2026-1234 (by ada)',
      },
      said,
    });
    const ended = overrideReport(overridden, said, until);
    expect(ended).toEqual({
      report: {
        type: 'Normal',
        reason: 'PolicyOverrideEnded',
        message: `Windows and exclusions of DisruptionPolicies count again, after the override until ${said}`,
      },
    });
    expect(overrideReport(options, said, now)).toEqual(ended);
  });

  test('come once', () => {
    expect(overrideReport(overridden, said, now)).toBeUndefined();
    expect(overrideReport(options, undefined, now)).toBeUndefined();
    expect(overrideReport(overridden, undefined, until)).toBeUndefined();
  });
});
