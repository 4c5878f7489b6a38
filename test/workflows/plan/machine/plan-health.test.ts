import type { Row } from './rows.ts';
import { now, running, deleted, plan, wantedOf } from './rows.ts';

describe('health', () => {
  const unknown = { ...running, phase: 'Unknown' as const };
  const ill = { mustCheck: false, checkAt: now + 5_000, waitsFor: 'unhealthy: Ready is False' };
  test.each<Row>([
    {
      name: 'a healthy machine waits for nothing',
      given: { ...running, health: { mustCheck: false } },
      action: 'wait',
      reason: 'runs on Node pool-a',
    },
    {
      name: 'an edited spec is read before',
      given: { ...running, isRead: false, health: { mustCheck: true } },
      action: 'readAndClaim',
    },
    {
      name: 'an Unknown machine says what is wrong, and is looked at again',
      given: { ...unknown, health: ill },
      action: 'wait',
      reason: 'Ready is False',
      until: now + 5_000,
    },
    {
      name: 'when its time has come',
      given: { ...unknown, health: { ...ill, checkAt: now } },
      action: 'checkHealth',
    },
    {
      name: 'an Unknown machine never joins as a new one',
      given: { ...unknown, isNodeReady: true, health: ill },
      action: 'wait',
    },
    {
      name: 'a Failed one waits, also without an owner',
      given: { ...running, phase: 'Failed', isOwned: false, health: { mustCheck: false } },
      action: 'wait',
      reason: 'failed',
    },
    {
      name: 'a Failed one whose check met an outage waits for the next check',
      given: { ...running, phase: 'Failed', health: { mustCheck: false, checkAt: now + 7_000 } },
      action: 'wait',
      reason: 'failed',
      until: now + 7_000,
    },
    {
      name: 'a deletion comes first',
      given: { ...unknown, ...deleted, health: { mustCheck: true } },
      action: 'beginTeardown',
    },
  ])('$name', (row) => {
    expect(plan(row.given)).toMatchObject(wantedOf(row));
  });
});
