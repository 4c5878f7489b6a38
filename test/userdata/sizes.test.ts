import { gunzipSync } from 'node:zlib';
import { randomBytes } from 'node:crypto';
import { fitted, sizeLimits } from '../../userdata/sizes.ts';

/** Shrinks to nearly nothing. */
const text = (bytes: number): string => 'a'.repeat(bytes);
/** Does not shrink below three quarters. */
const noise = (bytes: number): string => randomBytes(bytes).toString('base64').slice(0, bytes);

test.each(Object.entries(sizeLimits))('%s gets text up to its limit', (provider, limit) => {
  const userData = text(limit.bytes);
  expect(fitted(userData, { provider, format: 'cloud-init' })).toEqual({ userData });
  expect(fitted(`${userData}a`, { provider, format: 'ignition' })).toEqual({
    fault: `the user data have ${limit.bytes + 1} bytes: ${provider} takes ${limit.bytes}`,
  });
  const isPacked = 'userData' in fitted(`${userData}a`, { provider, format: 'cloud-init' });
  expect(isPacked).toBe(limit.gzipBytes !== undefined);
});

test('bytes are counted, not characters', () => {
  expect(fitted('ü'.repeat(8193), { provider: 'AWS', format: 'ignition' })).toEqual({
    fault: 'the user data have 16386 bytes: AWS takes 16384',
  });
});

test('what is packed is the text, and the same each time', () => {
  const given = text(20_000);
  const [one, other] = [1, 2].map(() => fitted(given, { provider: 'AWS', format: 'cloud-init' }));
  expect(one).toEqual(other);
  const bytes = Buffer.from(one && 'userData' in one ? one.userData : '');
  expect(gunzipSync(bytes).toString()).toBe(given);
  // No time, no name of a file, and no system.
  expect([...bytes.subarray(3, 8), bytes[9]]).toEqual([0, 0, 0, 0, 0, 255]);
});

test('what is packed and too long is refused with both sizes', () => {
  expect(fitted(noise(40_000), { provider: 'hcloud', format: 'cloud-init' })).toEqual({
    fault: expect.stringMatching(
      /^the user data have 40000 bytes, \d+ with gzip: hcloud takes 24576$/,
    ),
  });
});

test('Ignition is not packed, and a cloud of which nothing is known gets the text', () => {
  const userData = text(20_000);
  expect(fitted(userData, { provider: 'AWS', format: 'ignition' })).toHaveProperty('fault');
  expect(fitted(userData, { provider: 'ours', format: 'ignition' })).toEqual({ userData });
  expect(fitted(userData, { provider: 'constructor', format: 'ignition' })).toEqual({ userData });
});
