/** Asks two API servers the same, and says where they answer differently. */
import { isDeepStrictEqual } from 'node:util';
import { monotonicMs, sleep } from '../../../activities/system/system.ts';
import { isRecord } from '../../../workflows/values/is-record.ts';
import { normalized } from './normalize.ts';
import type { Names } from './normalize.ts';
import { Side } from './side.ts';
import type { SideOptions } from './side.ts';
import type { Step } from './steps.ts';

export interface Difference {
  /** Its number. */
  at: number;
  step: Step;
  /** What the first and the second server answered. */
  answers: [unknown, unknown];
  /** Of the events that a watch has heard: what opened it. */
  opened?: Step | undefined;
}

interface Pair {
  sides: readonly [Side, Side];
  names: readonly [Names, Names];
  patienceMs: number;
}

/**
 * The first difference; undefined where all answers are the same. `patienceMs`: for the events of a
 * watch that one has heard, and the other has not yet. Default 5 s.
 */
export async function firstDifference(
  steps: readonly Step[],
  options: readonly [SideOptions, SideOptions],
  patienceMs = 5_000,
): Promise<Difference | undefined> {
  const sides = [new Side(options[0]), new Side(options[1])] as const;
  const names = [namesOf(sides[0]), namesOf(sides[1])] as const;
  try {
    for (const [at, step] of steps.entries()) {
      const difference = await compared({ sides, names, patienceMs }, at, steps);
      if (difference) return { at, step, ...difference };
    }
    return undefined;
  } finally {
    await Promise.all(sides.map((side) => side.close()));
  }
}

function namesOf({ memory }: Side): Names {
  return { uids: new Map(), versions: memory.versions };
}

type Found = Omit<Difference, 'at' | 'step'> | undefined;

async function compared(pair: Pair, at: number, steps: readonly Step[]): Promise<Found> {
  const [step] = steps.slice(at);
  if (!step) return undefined;
  const { sides } = pair;
  switch (step.do) {
    case 'call':
      return different(pair, await both(sides, (side) => side.call(at, step.call)));
    case 'watch':
      return different(pair, await both(sides, (side) => side.watch(at, step.path, step.query)));
    case 'compact':
      await both(sides, (side) => side.compact());
      return undefined;
    case 'settle':
      return await settled(pair, steps);
  }
}

async function both<T>(
  [one, two]: Pair['sides'],
  ask: (side: Side) => Promise<T>,
): Promise<[T, T]> {
  return [await ask(one), await ask(two)];
}

function different({ names }: Pair, pair: readonly [unknown, unknown]): Found {
  const answers: [unknown, unknown] = [
    normalized(withoutWords(pair[0]), names[0]),
    normalized(withoutWords(pair[1]), names[1]),
  ];
  return isDeepStrictEqual(answers[0], answers[1]) ? undefined : { answers };
}

/** What cannot be read is refused in other words: the message says no more than the code. */
const otherWords = [
  /^unable to parse requirement/,
  /^found '/,
  /^invalid selector/,
  /^invalid continue token/,
];

function withoutWords(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(withoutWordsOfError);
  if (!isRecord(answer) || !isRecord(answer['body'])) return answer;
  const { message, details, ...body } = answer['body'];
  if (otherWords.some((words) => words.test(String(message)))) return { ...answer, body };
  // Several faults are found in any order, and the message repeats them.
  const causes = isRecord(details) && Array.isArray(details['causes']) ? details['causes'] : [];
  if (causes.length < 2) return answer;
  const sorted = causes.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return { ...answer, body: { ...body, details: { ...Object(details), causes: sorted } } };
}

/** That a watch begins too far back is said by a cache, or by the database. */
function withoutWordsOfError(event: unknown): unknown {
  if (!isRecord(event) || event['type'] !== 'ERROR') return event;
  const { message: _message, ...object } = Object(event['object']);
  return { ...event, object };
}

const pollMs = 5;

/** What is heard on one side comes on the other in a moment. */
async function settled(pair: Pair, steps: readonly Step[]): Promise<Found> {
  const [one, two] = pair.sides;
  const deadline = monotonicMs() + pair.patienceMs;
  while (!isHeardAlike(one, two) && monotonicMs() < deadline) await sleep(pollMs);
  const [first, second] = [[...one.heard], [...two.heard]];
  for (const [index, [at, events]] of first.entries()) {
    const found = different(pair, [events, second[index]?.[1]]);
    if (found) return { answers: found.answers, opened: steps[at] };
  }
  for (const side of pair.sides) side.endWatches();
  return undefined;
}

function isHeardAlike(one: Side, two: Side): boolean {
  const others = two.heard;
  return [...one.heard].every(([at, { length }]) => others.get(at)?.length === length);
}
