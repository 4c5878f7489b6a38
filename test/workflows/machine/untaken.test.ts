import { whyUntaken } from '../../../workflows/machine/untaken.ts';

test.each([
  { rateLimit: undefined, why: 'all slots for drains are taken' },
  { rateLimit: 0, why: 'its task queue has a rate limit of 0 a second' },
  {
    rateLimit: 2,
    why: 'all slots for drains are taken, or its task queue has a rate limit of 2 a second',
  },
])('a task that waits with a rate limit of $rateLimit says why', ({ rateLimit, why }) => {
  const service = rateLimit === undefined ? {} : { rateLimit };
  expect(whyUntaken('slots for drains', service)).toBe(why);
});
