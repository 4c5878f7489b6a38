/** How a failed seed is shown to people. */
import { relative } from 'node:path';
import type { Violation } from '../engine/simulation.ts';
import { formatTime, type Timeline } from '../engine/timeline.ts';
import { commandOf, wordsOf } from './command.ts';
import { startMs, type Setup } from './simulator.ts';
import { namesIn } from './subject.ts';
import type { Kinds } from './values.ts';

export interface Reported {
  violation: Violation;
  /** As it was asked for. */
  original: Setup;
  /** The smallest that was found. */
  setup: Setup;
  tries: number;
  /** Up to the violation. */
  timeline: Timeline;
  kinds: Kinds;
  /** That holds the whole timeline. */
  file: string;
}

const linesMost = 80;

/** What goes to the terminal. */
export function reportOf(reported: Reported): string {
  const { violation, setup, kinds, file } = reported;
  return [
    headOf(reported),
    `The same again:\n  ${commandOf(setup, kinds)}`,
    timelineOf(reported.timeline, violation),
    `The whole timeline: ${relative(process.cwd(), file)}`,
  ].join('\n\n');
}

/** What goes to the file. */
export function fullReportOf(reported: Reported): string {
  const { setup, kinds, timeline } = reported;
  const lines = timeline.lines().map((line) => `${line}\n`);
  return [headOf(reported), commandOf(setup, kinds), lines.join('')].join('\n\n');
}

function headOf({ violation, original, setup, tries }: Reported): string {
  const { at, rule, text } = violation;
  const time = formatTime(at - startMs);
  const shrunk = `Shrunk in ${tries} runs from ${wordsOf(original)}\nto ${wordsOf(setup)}`;
  const head = `Seed ${setup.seed}, ${time}: broken: ${rule}\n  ${text}`;
  return tries === 0 ? head : `${head}\n\n${shrunk}`;
}

/** The last lines about the objects of the violation; without names in it, the last ones of all. */
function timelineOf(timeline: Timeline, { text }: Violation): string {
  const names = namesIn(text);
  const lines = timeline.lines(names);
  const of = names.length === 0 ? '' : ` with ${names.join(', ')}`;
  const shown = lines.slice(-linesMost);
  return [`Timeline${of}, ${shown.length} of ${lines.length} lines:`, ...shown].join('\n');
}
