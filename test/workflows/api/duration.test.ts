import fc from 'fast-check';
import { formatDuration, parseDuration } from '../../../workflows/api/duration.ts';

describe('a duration is read as Go reads it', () => {
  test.each([
    ['2h', 7200],
    ['1h30m', 5400],
    ['90s', 90],
    ['1.5h', 5400],
    ['.5m', 30],
    ['1.s', 1],
    ['300ms', 0.3],
    ['2µs', 2e-6],
    ['+5s', 5],
    ['0', 0],
  ])('%s is %d s', (text, seconds) => {
    expect(parseDuration(text)).toBeCloseTo(seconds, 9);
  });

  test.each([
    '',
    ' 1h',
    '1h ',
    '20',
    '1d',
    '.h',
    'h',
    '1h30',
    '--1s',
    '1e3s',
    '0x1s',
    'Infinitys',
    '-5s',
    '-0',
  ])('"%s" is no duration', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  test('more nanoseconds than fit into 64 bits are no duration', () => {
    expect(parseDuration('2562047h')).toBe(9_223_369_200);
    expect(parseDuration('2562048h')).toBeUndefined();
  });
});

describe('a duration is written as Go writes it', () => {
  test.each([
    [7200, '2h0m0s'],
    [5400, '1h30m0s'],
    [90, '1m30s'],
    [1.5, '1.5s'],
    [0.3, '300ms'],
    [0.000_002, '2µs'],
    [0, '0s'],
    [-65, '-1m5s'],
  ])('%d s is %s', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });

  test('what is written is read again', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e12 }), (milliseconds) => {
        const seconds = milliseconds / 1000;
        expect(parseDuration(formatDuration(seconds))).toBeCloseTo(seconds, 3);
      }),
    );
  });
});
