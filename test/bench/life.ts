/**
 * A pool from its first machine to its last, rolled in between: does anything grow that should not?
 */
import { measureDeletion, measureUp, untilQuiet, type Bench, type Parts } from './measure.ts';
import { measureRollOnly } from './roll.ts';

export async function* measureLife(bench: Bench, machines: number, limitSeconds: number): Parts {
  yield await measureUp(bench, machines);
  await untilQuiet(bench);
  yield await measureRollOnly(bench, machines, limitSeconds);
  await untilQuiet(bench);
  yield await measureDeletion(bench, machines);
}
