/** Values that the search can hold: one that it refuses stops the workflow that gives it. */
import { clip, longestKeywordBytes } from '../values/clip.ts';

/** Null, which takes a value away, for none. */
export function keyword(text: string | undefined): string | null {
  return text === undefined ? null : clip(text, longestKeywordBytes);
}

/** Its clock counts nanoseconds in 64 bits. */
const earliest = Date.UTC(1970, 0, 1);
const latest = Date.UTC(2200, 0, 1);

/** @param time Milliseconds; may come of a person's words, such as a timeout of 290 years. */
export function dateOf(time: number): Date;
export function dateOf(time: number | undefined): Date | null;
export function dateOf(time: number | undefined): Date | null {
  return time === undefined ? null : new Date(Math.min(Math.max(time, earliest), latest));
}
