/** Which state of its machines a set has to read at least. */
import { observeInputOf } from '../../../workflows/machine-set/observe-input.ts';
import type { MachineSetState } from '../../../workflows/machine-set/state.ts';
import { newState, noteChanged } from '../../../workflows/machine-set/state.ts';

const set = { namespace: 'shoot', name: 'pool' };
const atLeast = (state: MachineSetState) =>
  observeInputOf(set, state, { now: 0, mayFollow: true }).machinesAtLeast;

function stateAfter(...signals: [epoch: number, resourceVersion: string][]): MachineSetState {
  const state = newState();
  for (const [epoch, resourceVersion] of signals) {
    noteChanged(state, { cluster: 'c', epoch, resourceVersion });
  }
  return state;
}

test.each<{ signals: [number, string][]; wanted: string | undefined; what: string }>([
  { what: 'nothing was signalled', signals: [], wanted: undefined },
  {
    what: 'signals arrive out of order',
    signals: [
      [1, '90'],
      [1, '100'],
      [1, '99'],
    ],
    wanted: '100',
  },
  {
    what: 'the server was restored',
    signals: [
      [1, '100'],
      [2, '70'],
    ],
    wanted: '70',
  },
])('where $what a read is of $wanted at least', ({ signals, wanted }) => {
  expect(atLeast(stateAfter(...signals))).toBe(wanted);
});

test('after a batch that did less than planned no copy will do', () => {
  expect(atLeast({ ...stateAfter([1, '100']), mustRead: true })).toBeUndefined();
});
