/** What the calendar makes of any policy that an API server may hold: faults in words, or times. */
import fc from 'fast-check';
import { windowsAt } from '../../activities/disruption/calendar.ts';
import { faultsOf } from '../../activities/disruption/faults.ts';
import { counterexample } from '../support/fuzz/runs.ts';
import { disruptionPolicies } from '../support/fuzz/objects.ts';
import { anyText } from '../support/fuzz/texts.ts';

const now = Date.parse('2026-06-01T00:00:00Z');

/** Whole schedules are seldom drawn from a schema that says only "string". */
const scheduleParts = fc.constantFrom(
  '*',
  '0',
  '59',
  '*/7',
  'L',
  'SAT#2',
  'FRIL',
  '29',
  '2',
  '1-5',
);
const schedules = fc.oneof(
  fc.array(scheduleParts, { minLength: 5, maxLength: 5 }).map((parts) => parts.join(' ')),
  anyText,
);

const policies = fc
  .tuple(disruptionPolicies, fc.option(schedules, { nil: undefined }))
  .map(([policy, schedule]) => {
    if (schedule === undefined) return policy;
    const windows = [{ schedule, duration: '4h' }, ...(policy.spec.windows ?? [])];
    return { ...policy, spec: { ...policy.spec, windows } };
  });

test('any policy has faults in words, or is open or closed until a later time', () => {
  const found = counterexample(policies, 400, (policy) => {
    for (const fault of faultsOf(policy)) {
      expect(fault).toMatch(/^spec\.[a-zA-Z.]+(\[\d+\])?[^:]*: (Required|Invalid) value\b/);
      expect(fault.length).toBeLessThan(1_000);
    }
    const { until = Infinity, why } = windowsAt(policy.spec, now);
    expect(until).toBeGreaterThan(now);
    expect(why).not.toBe('');
  });
  expect(found).toBeUndefined();
});
