/** Texts as careless people, broken programs and other controllers write them. */
import fc from 'fast-check';

const durations = [
  '0',
  '5m',
  '1h30m',
  '-5s',
  '+1.5h',
  '9999999h',
  '2540400h',
  '1d',
  '.5s',
  '10',
  'h',
  '5 m',
];
const amounts = [
  '25%',
  '0%',
  '100%',
  '999999999999999999999%',
  `${'9'.repeat(400)}%`,
  '-1%',
  '1.5%',
  '%',
  '+3%',
];
const numbers = [
  '0',
  '1',
  '-1',
  '007',
  '1e308',
  '0x10',
  '1.5',
  ' 3 ',
  '9'.repeat(400),
  'NaN',
  'Infinity',
  '-0',
  '5',
];
const quantities = ['1', '500m', '16Gi', '1e3', '-1Ki', '1e400', '9'.repeat(60), '1ki', 'Gi'];
const times = [
  '2026-01-31T22:00:00Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '2026-13-40T99:99:99Z',
  '+275760-09-13T00:00:00Z',
  '2026',
  'tomorrow',
  '2026-01-31 22:00',
];
const words = [
  '',
  ' ',
  'true',
  'True',
  'TRUE',
  'false',
  'null',
  'undefined',
  'yes',
  'MachineClass',
  'small',
];
const paths = [
  '../../secrets/x',
  '..',
  '.',
  'a/b',
  'a?watch=true',
  'a#b',
  '%2e%2e',
  'a b',
  'a\nb',
  '\u0000',
];
const traps = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '{}',
  '[]',
  '{"labels":5}',
  '"',
  '<<<BOOTSTRAP_TOKEN>>>',
];
const lists = [
  ',',
  ',,',
  'a,b',
  'pool-a~2026-01-31T22:00:00Z',
  'pool-a~',
  '~',
  'a~b~c',
  '1,2,3',
  'auto-preserved',
  'when-failed',
  'now',
];
const foreign = ['ünïcödé', '機械', '👩‍🚀', '\u202e', '\ud800', 'é'.repeat(300), '機'.repeat(200)];
const long = ['x'.repeat(253), 'x'.repeat(10_000), '-'.repeat(5_000), '9'.repeat(5_000)];

const telling = [durations, amounts, numbers, quantities, times, words, paths, traps, lists].flat();

/** Those that mean something somewhere, and those that are long or foreign. */
export const knownTexts: string[] = [...telling, ...foreign, ...long];

/** Any text: mostly ones that mean something somewhere. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...telling) },
  { weight: 2, arbitrary: fc.constantFrom(...foreign, ...long) },
  { weight: 1, arbitrary: fc.string({ maxLength: 80 }) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.nat(0xffff), { maxLength: 40 })
      .map((codes) => String.fromCharCode(...codes)),
  },
);

/** What Kubernetes takes as the value of a label. */
export const labelValue: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    'True',
    'true',
    'false',
    '1',
    'successful',
    'failed',
    'pool-a',
    'x'.repeat(63),
  ),
  fc.stringMatching(/^[A-Za-z0-9]([A-Za-z0-9_.-]{0,20}[A-Za-z0-9])?$/),
);

/** A time as Kubernetes takes it for `format: date-time`. */
export const dateTime: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '1970-01-01T00:00:00Z',
    '2026-01-31T22:00:00.123456789Z',
    '2026-01-31T22:00:00+14:00',
  ),
  fc
    .date({ min: new Date('2020-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString()),
);
