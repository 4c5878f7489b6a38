import { Chance } from './chance.ts';

test('what has a share of 0 never happens, and shifts nothing that is drawn afterwards', () => {
  const [one, other] = [new Chance(7), new Chance(7)];
  const draws = Array.from({ length: 1_000 }, () => one.happens(0));
  for (const _ of draws) other.happens(0.001);
  expect(draws).not.toContain(true);
  expect(one.share()).toBe(other.share());
});
