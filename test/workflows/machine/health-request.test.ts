import { healthRequestOf } from '../../../workflows/machine/health.ts';
import {
  afterCheck,
  type HealthFinding,
  type HealthState,
} from '../../../workflows/plan/machine/health.ts';

const now = 1_000_000;
const look = { seen: '', begunAt: now - 90_000, endedAt: now - 90_000, random: 0 };
const unreachable = { outOfReach: 'refused' };

const sinceOf = (before: HealthState | undefined): number | undefined =>
  healthRequestOf({
    machine: { namespace: 'n', name: 'm', uid: 'u' },
    instance: { providerID: 'local:///a/i-1', nodeName: 'm' },
    node: undefined,
    before,
    isInstanceGone: false,
    now,
  }).since;

test('a workflow that knows nothing goes by the object', () => {
  expect(sinceOf(undefined)).toBeUndefined();
});

test('an illness that nobody could see counts from the first answer, whatever the object says', () => {
  expect(sinceOf(afterCheck(undefined, unreachable, look))).toBe(now);
});

test('an illness that was known before an outage goes on', () => {
  const sick: HealthFinding = { phase: 'Unknown', since: 5, timeoutSeconds: 600, faults: [] };
  const known = afterCheck(undefined, sick, look);
  expect(sinceOf(afterCheck(known, unreachable, look))).toBe(5);
});
