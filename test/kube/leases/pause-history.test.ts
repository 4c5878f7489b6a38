import { PauseHistory } from '../../../kube/leases/active-watcher.ts';
import type { NotedPause } from '../../../kube/objects/pauses.ts';
import { writePauses } from '../../../kube/objects/pauses.ts';

let history: PauseHistory;
beforeEach(() => {
  history = new PauseHistory();
});

const stop: NotedPause = { reason: 'stop', from: 1_000 };

test('of one Lease what it says last counts', () => {
  history.see({ uid: 'a', noted: writePauses([stop]) }, 10_000);
  history.see({ uid: 'a', noted: writePauses([{ ...stop, until: 12_000 }]) }, 60_000);
  expect(history.pauses()).toEqual([{ ...stop, until: 12_000 }]);
  history.see({ uid: 'a', noted: '[]' }, 62_000);
  expect(history.pauses()).toEqual([]);
});

test('a Lease that was deleted leaves what it said, and the time until there was another', () => {
  history.see({ uid: 'a', noted: writePauses([stop]) }, 10_000);
  history.see({ uid: 'b', noted: '[]' }, 90_000);
  expect(history.pauses()).toEqual([
    { ...stop, until: 90_000 },
    { reason: 'watcher', from: 10_000, until: 90_000 },
  ]);
});

test('the same notes on another Lease are read again', () => {
  history.see({ uid: 'a', noted: writePauses([stop]) }, 10_000);
  history.see({ uid: 'b', noted: writePauses([stop]) }, 12_000);
  expect(history.pauses()).toEqual([{ ...stop, until: 12_000 }, stop]);
});

test('a Lease that a leader makes again at once is no pause', () => {
  history.see({ uid: 'a', noted: '' }, 10_000);
  history.see({ uid: 'b', noted: '' }, 13_000);
  expect(history.pauses()).toEqual([]);
});
