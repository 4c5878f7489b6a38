/**
 * Where a test run draws from: `npm test` draws the same each time, `npm run test:all` something
 * else each time.
 */

export const seedVariable = 'MILLWRIGHT_TEST_SEED';

/** That of the variable, else 1. */
export function testSeed(): number {
  const text = process.env[seedVariable] ?? '';
  if (text === '') return 1;
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new Error(`${seedVariable}: "${text}" is not a whole number of at most 10 digits`);
}
