/** Secrets in texts of others are recognised by their form, or because we read them. */
import { hide } from '../../../activities/redaction/hide.ts';
import { SecretValues, secretValues } from '../../../activities/redaction/secret-values.ts';
import { logLines } from '../../workers/log/log-lines.ts';

const pem = '-----BEGIN RSA PRIVATE KEY-----\nMIIEow==\n-----END RSA PRIVATE KEY-----';
const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJtaWxsIn0.c2lnbmF0dXJl';

test.each([
  ['join with abcdef.0123456789abcdef now', 'join with abcdef.[redacted] now'],
  [`key: ${pem}, tried`, 'key: [redacted], tried'],
  [JSON.stringify(pem), '"[redacted]"'],
  ['-----BEGIN PRIVATE KEY-----\nMIIE', '[redacted]'],
  [`token ${jwt} is expired`, 'token [redacted] is expired'],
  ['Authorization: Bearer abc.def-ghi', 'Authorization: Bearer [redacted]'],
  ['AKIAIOSFODNN7EXAMPLE is not known', '[redacted] is not known'],
  ['https://me:pass@cloud/x', 'https://[redacted]@cloud/x'],
  ['?password=hunter2&x=1', '?password=[redacted]&x=1'],
  ['{"clientSecret":"s3cr3t"}', '{"clientSecret":[redacted]}'],
  [String.raw`{"password":"s3\"cr3t","a":1}`, '{"password":[redacted],"a":1}'],
  [String.raw`"{\"client_secret\":\"s3cr3t\"}"`, String.raw`"{\"client_secret\":[redacted]}"`],
  ['client_secret: "s3cr3t"', 'client_secret: [redacted]'],
])('%j is written as %j', (text, expected) => {
  expect(hide(text)).toBe(expected);
});

test.each([
  'secretRef.name: Secret "cloud" does not exist in namespace shoot',
  'the bootstrap token abcdef was deleted before it was used',
  'Node ip-10-0-0-1.eu-west-1.compute.internal is Ready',
  'machines.machine.sapcloud.io "pool-a" not found',
  'token: no',
  // What is hidden in the output of a console, where no name has to be found again.
  'Secret: cloud-1 is not read',
  'mount --token-secret shoot--dev/cloud',
  '/resourceGroups/Shoot1/providers/Microsoft/Compute',
])('%j is written as it is', (text) => {
  expect(hide(text)).toBe(text);
});

test('what was read as a secret is recognised anywhere', () => {
  const values = new SecretValues();
  values.addDataOf({ azureClientSecret: 'correct horse', region: 'westeurope', password: 'x' });
  expect(values.hide('westeurope refused correct horse, x')).toBe(
    'westeurope refused [redacted], x',
  );
});

test('a secret within another one does not save the rest of it', () => {
  const values = new SecretValues();
  values.add(['battery', 'correct battery staple']);
  expect(values.hide('refused correct battery staple')).toBe('refused [redacted]');
});

test('only the newest of many are known', () => {
  const values = new SecretValues();
  values.add(Array.from({ length: 501 }, (_, index) => `secret-${index}-end`));
  expect(values.hide('secret-0-end secret-500-end')).toBe('secret-0-end [redacted]');
});

const large = (index: number): string => `${index}-${'x'.repeat(1024 * 1024)}`;

test('of large ones, such as user data, fewer are known, and they drive out no key', () => {
  const values = new SecretValues();
  values.addDataOf({ password: 'correct horse' });
  for (let index = 0; index < 9; index += 1) values.addDataOf({ userData: large(index) });
  for (let index = 0; index < 20; index += 1) values.addDataOf({ userData: large(8) });
  expect(values.hide(`correct horse ${large(0)}`)).toBe(`[redacted] ${large(0)}`);
  expect(values.hide(`${large(4)}, ${large(8)}`)).toBe('[redacted], [redacted]');
});

test('what is read once is known for good', () => {
  const values = new SecretValues();
  values.keep(['correct horse\n', 'short']);
  values.add(Array.from({ length: 501 }, (_, index) => `secret-${index}-end`));
  expect(values.hide('correct horse, short')).toBe('[redacted], short');
});

test('message, fields, errors and their causes have none in each line', () => {
  const { log, lines } = logLines();
  secretValues.add(['battery staple']);
  const cause = new Error('battery staple');
  const err = new Error('password=hunter2', { cause });
  log.warn({ err, words: ['battery staple'] }, `refused ${jwt}`);
  log.info('battery staple');
  const text = JSON.stringify(lines);
  expect(text).not.toMatch(/hunter2|battery|eyJ/);
  expect(lines).toMatchObject([
    { msg: 'refused [redacted]', err: { message: 'password=[redacted]' } },
    { msg: '[redacted]' },
  ]);
});
