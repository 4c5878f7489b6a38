/** Schedules whose runs are triggered: beside an open run, while paused, after a failure. */
import type { LastingStep, Outside, Script } from '../script.ts';

const ends: LastingStep = { do: 'await', signal: 'end' };
const create: Outside = { act: 'schedule', to: 'create', steps: [ends] };
const trigger: Outside = { act: 'schedule', to: 'trigger' };
const describe: Outside = { act: 'schedule', to: 'describe' };
/** Runs are named by the second. */
const nextSecond = { afterMs: 1_100 };
const over: readonly Outside[] = [
  { act: 'schedule', to: 'delete' },
  { act: 'signal', name: 'end' },
];

export const scheduleScripts: readonly Script[] = [
  {
    name: 'a schedule that is triggered while its run is open skips it',
    steps: [ends],
    outside: [
      create,
      describe,
      trigger,
      { ...describe, when: [{ schedule: { taken: 1, running: 1 } }] },
      { ...trigger, when: [nextSecond] },
      { ...describe, when: [{ schedule: { skipped: 1 } }] },
      { act: 'schedule', to: 'end' },
      { act: 'schedule', to: 'result', when: [{ schedule: { running: 0 } }] },
      describe,
      { ...trigger, when: [nextSecond] },
      { ...describe, when: [{ schedule: { taken: 2, running: 1 } }] },
      { act: 'schedule', to: 'end' },
      { ...describe, when: [{ schedule: { running: 0 } }] },
      ...over,
    ],
  },
  {
    name: 'a paused schedule that is triggered has a run all the same',
    steps: [ends],
    outside: [
      create,
      { act: 'schedule', to: 'pause' },
      { ...describe, when: [{ schedule: { isPaused: true } }] },
      trigger,
      { ...describe, when: [{ schedule: { taken: 1, running: 1 } }] },
      { act: 'schedule', to: 'end' },
      { ...describe, when: [{ schedule: { running: 0 } }] },
      ...over,
    ],
  },
  {
    name: 'a schedule whose triggered run fails is paused, until it is resumed',
    steps: [ends],
    outside: [
      {
        act: 'schedule',
        to: 'create',
        steps: [ends, { do: 'fail', type: 'Trouble', isFinal: true }],
      },
      trigger,
      { act: 'schedule', to: 'end', when: [{ schedule: { taken: 1 } }] },
      { act: 'schedule', to: 'result', when: [{ schedule: { isPaused: true, running: 0 } }] },
      describe,
      { act: 'schedule', to: 'resume' },
      { ...describe, when: [{ schedule: { isPaused: false } }] },
      { ...trigger, when: [nextSecond] },
      { ...describe, when: [{ schedule: { taken: 2, running: 1 } }] },
      ...over,
    ],
  },
];
