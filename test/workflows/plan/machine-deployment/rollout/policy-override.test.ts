import { isReason } from '../../../../../workflows/api/policy-override.ts';
import { planMachineDeployment } from '../../../../../workflows/plan/machine-deployment/plan.ts';
import {
  formatOverride,
  parseOverride,
} from '../../../../../workflows/plan/machine-deployment/rollout/policy-override.ts';
import { someFacts, theNewSet } from './deployment-facts.ts';

const now = Date.parse('2026-01-30T22:00:00Z');
const until = Date.parse('2026-01-31T22:00:00Z');
const parse = (text: string) => parseOverride(text, Date.parse, now);
const options = { autoRollback: false, faults: [] };
const overridden = { ...options, overridePolicies: { until, reason: 'CVE-2026-1234 (by ada)' } };

describe('the reason, which histories carry, has a limit', () => {
  test('when it is asked for', () => {
    expect(isReason('x'.repeat(200))).toBe(true);
    expect(isReason('x'.repeat(201))).toBe(false);
  });

  test('when it is read, with the name of whoever asked', () => {
    const longest = formatOverride('2026-01-31T22:00:00Z', 'x'.repeat(200), 'y'.repeat(999));
    expect(parse(longest)).toMatchObject({ until });
    expect(parse(`${longest}x`)).toBeUndefined();
  });
});

test('the clock that an end was reckoned by may be some minutes fast', () => {
  expect(parse('2026-02-06T22:04:00Z CVE')).toBeDefined();
  expect(parse('2026-02-06T22:06:00Z CVE')).toBeUndefined();
});

test('a plan comes again at the end of an override, and not for one that is over', () => {
  const facts = someFacts({ options: overridden, sets: [theNewSet({ machines: 'AAAAAAAAAA' })] });
  expect(planMachineDeployment(facts, now).until).toBe(until);
  expect(planMachineDeployment({ ...facts, isDeleting: true }, now).until).toBe(until);
  expect(planMachineDeployment(facts, until)).not.toHaveProperty('until');
});
