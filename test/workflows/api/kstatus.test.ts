import { unsettledConditions, withoutUnsettled } from '../../../workflows/api/kstatus.ts';

const now = '2026-01-01T00:00:00Z';
const before = '2025-01-01T00:00:00Z';
const stalled = { type: 'Stalled', reason: 'InvalidSpec', message: 'no' } as const;

test('an object that is as wanted has no condition', () => {
  expect(unsettledConditions(undefined, [{ ...stalled, status: 'True' }], now)).toEqual([]);
});

test('another reason keeps the time, another type begins one', () => {
  const known = [
    { type: 'Stalled', status: 'True', reason: 'Frozen', lastTransitionTime: before } as const,
  ];
  const condition = { ...stalled, status: 'True' };
  expect(unsettledConditions(stalled, known, now)).toEqual([
    { ...condition, lastTransitionTime: before },
  ]);
  expect(unsettledConditions({ ...stalled, type: 'Reconciling' }, known, now)).toEqual([
    { ...condition, type: 'Reconciling', lastTransitionTime: now },
  ]);
  expect(unsettledConditions(stalled, [], now)).toEqual([
    { ...condition, lastTransitionTime: now },
  ]);
});

test('other conditions are told from these', () => {
  const ready = { type: 'Ready' };
  expect(withoutUnsettled([ready, stalled, { type: 'Reconciling' }])).toEqual([ready]);
  expect(withoutUnsettled(undefined)).toEqual([]);
});
