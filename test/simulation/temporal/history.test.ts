import { History } from './history.ts';

function historyOf(events: number, weight?: number): History {
  const history = new History(weight);
  for (let index = 0; index < events; index += 1) history.add('TIMER_STARTED');
  return history;
}

test.each([
  { events: 1_000, weight: 1, weighed: 1_000 },
  { events: 20, weight: 50, weighed: 20 },
  { events: 21, weight: 50, weighed: 70 },
  { events: 120, weight: 50, weighed: 5_020 },
])('$events events of weight $weight count as $weighed', ({ events, weight, weighed }) => {
  expect(historyOf(events, weight).weighed).toBe(weighed);
});

test('a run of 20 events is not long, however much later events weigh', () => {
  expect(historyOf(20, 10_000).isLong).toBe(false);
  expect(historyOf(21, 10_000).isLong).toBe(true);
});
