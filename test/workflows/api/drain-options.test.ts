import { digestOfOptions, drainOptionsIn } from '../../../workflows/api/drain-options.ts';

const until = 'millwright.dev/drain-until';
const skip = 'millwright.dev/skip-drain';
const skipVolumeWait = 'millwright.dev/skip-volume-wait';
const time = Date.parse('2026-01-01T12:00:00Z');

test.each<{ name: string; notes?: Record<string, string>; expected: object }>([
  { name: 'none', expected: {} },

  {
    name: 'all of them',
    notes: { [until]: '2026-01-01T12:00:00Z', [skip]: 'true', [skipVolumeWait]: 'true' },
    expected: { until: time, isSkipped: true, skipsVolumeWait: true },
  },
  {
    name: 'what makes no sense',
    notes: { [until]: 'tomorrow', [skip]: 'yes', [skipVolumeWait]: '' },
    expected: {},
  },
])('annotations: $name', ({ notes, expected }) => {
  expect(drainOptionsIn(notes, Date.parse)).toEqual(expected);
});

test('options are the same when the annotations say the same', () => {
  expect(digestOfOptions({ until: time + 999 })).toBe(digestOfOptions({ until: time }));
  const digests = [
    {},
    { until: time },
    { until: time + 1_000 },
    { isSkipped: true },
    { skipsVolumeWait: true },
    { isSkipped: true, skipsVolumeWait: true },
  ].map(digestOfOptions);
  expect(new Set(digests).size).toBe(digests.length);
});
