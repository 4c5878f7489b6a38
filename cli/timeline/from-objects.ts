/** The lifecycle of a machine, as far as its object and its Events have it. */
import type { Machine } from '../../workflows/api/machine.ts';
import { timeOf } from '../install/times.ts';
import type { SeenEvent } from '../explain/explanation.ts';
import { phaseOf } from '../explain/machine.ts';
import { oneLine } from '../terminal/screen.ts';
import type { Lifecycle, Step } from './step.ts';

/** Undefined where there is neither. */
export function lifeOfObjects(
  machine: Machine | undefined,
  events: readonly SeenEvent[],
): Lifecycle | undefined {
  const moments = momentsOf(machine, events);
  const [first] = moments;
  if (!first) return undefined;
  const until = machine ? undefined : moments.at(-1)?.at;
  return {
    from: first.at,
    until,
    state: machine ? phaseOf(machine) : 'gone',
    source: 'the object and its Events',
    runs: 0,
    steps: moments.map((moment, index) => stepOf(moment, moments[index + 1]?.at ?? until)),
    notes: ['Kubernetes keeps Events for an hour: what came before may be missing.'],
  };
}

interface Moment {
  at: number;
  words: string;
  isTrouble: boolean;
  count: number;
}

/** Each lasts until the next. */
function stepOf({ at, words, isTrouble, count }: Moment, end: number | undefined): Step {
  return {
    kind: isTrouble ? 'activity' : 'event',
    name: words,
    start: at,
    end,
    times: count,
  };
}

function momentsOf(machine: Machine | undefined, events: readonly SeenEvent[]): Moment[] {
  const { metadata, status } = machine ?? {};
  const seen = events.map(({ at, type, reason, message, count }) => ({
    at,
    words: `${reason}: ${oneLine(message)}`,
    isTrouble: type === 'Warning',
    count,
  }));
  const ofObject = [
    { at: timeOf(metadata?.creationTimestamp), words: 'its creation is asked for' },
    { at: timeOf(metadata?.deletionTimestamp), words: 'its deletion is asked for' },
    {
      at: timeOf(status?.lastOperation?.lastUpdateTime),
      words: oneLine(status?.lastOperation?.description ?? ''),
    },
  ].flatMap(({ at, words }) =>
    at === undefined || words === '' ? [] : [{ at, words, isTrouble: false, count: 1 }],
  );
  const isTold = ({ words }: Moment): boolean => seen.some((one) => one.words.endsWith(words));
  return [...ofObject.filter((one) => !isTold(one)), ...seen].toSorted((a, b) => a.at - b.at);
}
