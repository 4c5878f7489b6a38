import { SpamFilter } from '../../../kube/objects/event-recorder.ts';

function passed(filter: SpamFilter, { uid = 'a', now = 0, of = 1_000 }): number {
  return Array.from({ length: of }, () => filter.accepts(uid, now)).filter(Boolean).length;
}

test('the Events of scaling of a rollout of 100 machines one by one pass, and a flood does not', () => {
  expect(passed(new SpamFilter(), {})).toBe(200);
});

test('an object that used up its share gets one more in each span, up to the whole share', () => {
  const filter = new SpamFilter({ burst: 3, refillMs: 1_000 });
  expect(passed(filter, { now: 0 })).toBe(3);
  expect(passed(filter, { now: 999 })).toBe(0);
  expect(passed(filter, { now: 2_000 })).toBe(2);
  expect(passed(filter, { now: 99_000 })).toBe(3);
});

test('each object has a share of its own', () => {
  const filter = new SpamFilter({ burst: 3 });
  expect(passed(filter, { uid: 'a' })).toBe(3);
  expect(passed(filter, { uid: 'b' })).toBe(3);
});

test('the object that was quiet for longest is forgotten first', () => {
  const filter = new SpamFilter({ burst: 1, objectsMax: 2 });
  for (const uid of ['a', 'b', 'a', 'c']) filter.accepts(uid, 0);
  expect(filter.accepts('a', 0)).toBe(false);
  expect(filter.accepts('b', 0)).toBe(true);
});

test('a clock that went back takes nothing away', () => {
  const filter = new SpamFilter({ burst: 2, refillMs: 1_000 });
  expect(filter.accepts('a', 10_000)).toBe(true);
  expect(filter.accepts('a', 0)).toBe(true);
});
