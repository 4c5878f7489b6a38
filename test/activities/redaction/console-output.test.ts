/** What is kept of a console: no secret, no control character, no more than 4 KiB. */
import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { keptOutput, withoutSecretPatterns } from '../../../activities/redaction/console-output.ts';

const bytesOf = (text: string): number => Buffer.byteLength(text);

/** As people write and machines make them; long enough to be known. */
const aSecretValue = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9+/._~-]{8,60}$/),
  fc.stringMatching(/^[a-z]{4,10}( [a-z0-9]{3,8}){2,5}$/),
  fc.string({
    minLength: 8,
    maxLength: 80,
    unit: fc.constantFrom(...Array.from('äöü€😀abc123"\\-')),
  }),
);

const noise = fc.oneof(
  fc.string({ maxLength: 200 }),
  fc.string({ maxLength: 60, unit: 'binary' }),
  fc.constantFrom(
    '\r\n',
    '\n',
    '\u001B[0m',
    '\u001B[32mOK\u001B[0m',
    '\u001B]0;title\u0007',
    '[  12.345678] cloud-init[512]: ',
    'kubelet: x509: certificate signed by unknown authority\n',
    '\uD800',
    '€'.repeat(700),
  ),
);

const spellings = (value: string): string[] => [
  value,
  Buffer.from(value).toString('base64'),
  Buffer.from(value).toString('base64url'),
];

/** Whole lines, so that a secret is not glued to others of its own characters. */
const printedWith = (values: readonly string[]): fc.Arbitrary<string> =>
  fc
    .array(
      fc.oneof(noise, fc.constantFrom(...values.flatMap(spellings).map((one) => `\n${one}\n`))),
      {
        maxLength: 60,
      },
    )
    .map((parts) => parts.join(''));

const aSecretAndOutput = fc
  .dictionary(fc.stringMatching(/^[a-z]{3,9}$/), aSecretValue, { minKeys: 1, maxKeys: 4 })
  .chain((secret) => fc.tuple(fc.constant(secret), printedWith(Object.values(secret))));

test('no value of the Secret is left, whatever is printed around it', () => {
  fc.assert(
    fc.property(aSecretAndOutput, ([secret, printed]) => {
      const kept = keptOutput(printed, secret);
      for (const value of Object.values(secret).flatMap(spellings)) {
        expect(kept).not.toContain(value);
      }
    }),
  );
});

test('it is a text of at most 4 KiB without control characters, and stays so', () => {
  fc.assert(
    fc.property(aSecretAndOutput, ([secret, printed]) => {
      const kept = keptOutput(printed, secret);
      expect(bytesOf(kept)).toBeLessThanOrEqual(4_096);
      // oxlint-disable-next-line no-control-regex
      expect(kept).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/);
      expect(kept.isWellFormed()).toBe(true);
      expect(keptOutput(kept, secret)).toBe(kept);
      expect(withoutSecretPatterns(kept)).toBe(kept);
    }),
  );
});

test('it is the end of a long output, from the begin of a line', () => {
  const lines = Array.from({ length: 20_000 }, (_none, index) => `line number ${index}`);
  const kept = keptOutput(lines.join('\n'), {});
  expect(bytesOf(kept)).toBeGreaterThan(3_000);
  expect(kept.split('\n')).toEqual(lines.slice(-kept.split('\n').length));
});

test('a character at the cut stays whole', () => {
  const kept = keptOutput('€'.repeat(5_000), {});
  expect(kept).toBe('€'.repeat(Math.floor(4_096 / 3)));
});

test('colours, titles and progress bars go, their words stay', () => {
  const printed =
    '\u001B]0;boot\u0007\u001B[1;32m[  OK  ]\u001B[0m Started\u001B(B ssh.\r\n50%\r100%\r\n\u0000\u0007done\u202E';
  expect(keptOutput(printed, {})).toBe('[  OK  ] Started ssh.\n50%\n100%\ndone');
});

const pem = `-----BEGIN RSA PRIVATE KEY-----
MIIEowIBAAKCAQEAxyz0123456789
short
-----END RSA PRIVATE KEY-----`;
const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJzeXN0ZW0ifQ.c2lnbmF0dXJl';

describe('what looks like a secret is hidden', () => {
  test.each([
    [
      'a bootstrap token',
      'join with abcdef.0123456789abcdef now',
      'join with abcdef.[redacted] now',
    ],
    ['a PEM block', `before\n${pem}\nafter`, 'before\n[redacted]\nafter'],
    ['a PEM block that is cut off', `before\n${pem.slice(0, 60)}`, 'before\n[redacted]'],
    [
      'a PEM block with a prefix in each line',
      pem.replaceAll(/^/gm, '[  1.0] init: '),
      '[  1.0] init: [redacted]',
    ],
    ['a JSON Web Token', `got ${jwt}, thanks`, 'got [redacted], thanks'],
    ['an access key of AWS', 'as AKIAIOSFODNN7EXAMPLE', 'as [redacted]'],
    ['a secret key of AWS', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', '[redacted]'],
    ['password=', 'user=a password=hunter2 host=b', 'user=a password=[redacted] host=b'],
    ['in quotes', 'DB_PASSWORD="two words" x', 'DB_PASSWORD=[redacted] x'],
    ['in JSON', '{"client_secret":"s3cr3t-v4lue","a":1}', '{"client_secret":[redacted],"a":1}'],
    ['in YAML', 'password: hunter2', 'password: [redacted]'],
    ['a token in YAML', 'token: 0a1b2c3d', 'token: [redacted]'],
    ['a flag', 'kubeadm join --token s3cr3t', 'kubeadm join --token [redacted]'],
    ['key=', 'apikey=abc&x=1', 'apikey=[redacted]&x=1'],
    ['a bearer', 'Authorization: Bearer abcdefgh12', 'Authorization: Bearer [redacted]'],
    ['in a URL', 'proxy http://me:pw@proxy:3128', 'proxy http://[redacted]@proxy:3128'],
    ['with a colour inside', 'pass\u001B[1mword=hunter2', 'password=[redacted]'],
  ])('%s', (_name, printed, expected) => {
    expect(keptOutput(printed, {})).toBe(expected);
  });
});

describe('what says why a machine does not join stays', () => {
  test.each([
    'kubelet[512]: E1126 certificate signed by unknown authority',
    'failed to get token: Unauthorized',
    'cloud-init: Temporary failure in name resolution for api.shoot.example.com:443',
    'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)',
    'dhclient: No DHCPOFFERS received.',
    'secret "bootstrap" not found',
  ])('%s', (line) => {
    expect(keptOutput(line, { region: 'eu', password: 'hunter2!' })).toBe(line);
  });
});

test('lines of user data, and words in them that look made up, are hidden', () => {
  const userData =
    '#cloud-config\nruncmd:\n- systemctl start me\n- join --id=Zm9vYmFyMTIzNDU2Nzg5MA\n';
  const printed = '+ systemctl start me\n+ id Zm9vYmFyMTIzNDU2Nzg5MA\nruncmd:\nok';
  const kept = keptOutput(printed, { userData });
  expect(kept).toBe('+ systemctl start me\n+ id [redacted]\nruncmd:\nok');
  expect(keptOutput('- systemctl start me', { userData })).toBe('[redacted]');
  const inBase64 = Buffer.from(userData).toString('base64');
  expect(keptOutput(`data ${inBase64}`, { userData })).toBe('data [redacted]');
});

test('two secrets that overlap are both hidden', () => {
  const kept = keptOutput('x abcdefgh1xyzw v', { a: 'abcdefgh1', b: 'gh1xyzw' });
  expect(kept).toBe('x [redacted] v');
});

test('a secret that repeats itself is hidden as often as it stands there, and no more', () => {
  const printed = '- abcabcabcabcab - xyzxyzxyzyx abcabcabc';
  expect(keptOutput(printed, { a: 'abcabcab', b: 'xyzxyzx' })).toBe(
    '- [redacted] - [redacted]yzyx [redacted]c',
  );
});

test('a secret whose begin is cut off with the begin of the output goes with its line', () => {
  const tail = `${'secretpart'.repeat(3)}\n${`${'k'.repeat(39)}\n`.repeat(1_638)}`;
  const printed = `${'0'.repeat(100)}password1${tail}`;
  expect(keptOutput(printed, { password: `password1${'secretpart'.repeat(3)}` })).not.toContain(
    'secretpart',
  );
});

test('a text that makes patterns slow does not', () => {
  const slow = ['a'.repeat(65_536), 'eyJ'.repeat(21_000), '-----BEGIN A'.repeat(5_000)];
  const more = [
    'key='.repeat(16_000),
    '://'.repeat(21_000),
    'bearer '.repeat(9_000),
    'A'.repeat(65_536),
  ];
  for (const text of [...slow, ...more]) {
    expect(bytesOf(keptOutput(text, {}))).toBeLessThanOrEqual(4_096);
  }
});

/** Lines of one character, each longer than the one before. */
const runs = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_none, index) => 'a'.repeat(from + index)).join('\n');

/** A Secret has a mebibyte, and who writes it decides what the instance prints. */
describe('a Secret that is made to be slow', () => {
  const lines = Array.from({ length: 60_000 }, (_none, index) => `line ${index}`).join('\n');

  test.each([
    { name: 'of lines of one character', secret: runs(8, 1_000), printed: 'a'.repeat(65_536) },
    { name: 'of one long value', secret: 'a'.repeat(30_000), printed: 'a'.repeat(65_536) },
    { name: 'of many lines', secret: lines.slice(0, 590_000), printed: lines },
    { name: 'of more than any cloud takes', secret: lines.repeat(2), printed: 'line 1' },
  ])('$name holds up nothing, and is hidden', ({ secret, printed }) => {
    expect(keptOutput(printed, { userData: secret })).not.toMatch(/a{8}|line \d/);
  });
});
