/** Updates of a run: accepted, refused, slow, failed, sent twice, and of runs that end. */
import type { LastingStep, Moment, Script } from '../script.ts';

const resting: readonly Moment[] = [{ resting: true }, { afterMs: 300 }];
const ends: LastingStep = { do: 'await', signal: 'end' };

export const updateScripts: readonly Script[] = [
  {
    name: 'an update of a run that rests',
    steps: [ends],
    outside: [
      { act: 'update', name: 'plain', when: resting },
      { act: 'signal', name: 'end' },
    ],
  },
  {
    name: 'an update that is refused leaves nothing in the history',
    steps: [ends],
    outside: [
      { act: 'update', name: 'refused', when: resting },
      { act: 'update', name: 'unknown', when: resting },
      { act: 'update', name: 'plain', when: resting },
      { act: 'signal', name: 'end', when: resting },
    ],
  },
  {
    name: 'an update that takes its time',
    steps: [ends],
    outside: [
      { act: 'update', name: 'slow', when: resting },
      { act: 'signal', name: 'end', when: resting },
    ],
  },
  {
    name: 'an update whose handler fails',
    steps: [ends],
    outside: [
      { act: 'update', name: 'failing', when: resting },
      { act: 'signal', name: 'end', when: resting },
    ],
  },
  {
    name: 'an update that is sent twice is one',
    steps: [ends],
    outside: [
      { act: 'update', name: 'plain', id: 'one', when: resting },
      { act: 'update', name: 'plain', id: 'one', when: resting },
      { act: 'signal', name: 'end', when: resting },
    ],
  },
  {
    name: 'an update while a local activity runs in a task',
    steps: [
      {
        do: 'local',
        label: 'a',
        startToClose: 60_000,
        attempts: [{ worksMs: 2_000, ends: { is: 'done' } }],
      },
      ends,
    ],
    outside: [
      { act: 'update', name: 'plain', when: [{ started: 'a#1' }, { afterMs: 300 }] },
      { act: 'signal', name: 'end', when: resting },
    ],
  },
  {
    name: 'an update of a run that is over',
    steps: [],
    outside: [{ act: 'update', name: 'plain', when: [{ closed: true }] }],
  },
];
