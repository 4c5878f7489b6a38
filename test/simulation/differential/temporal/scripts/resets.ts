/** Runs that are reset to one of their workflow tasks. */
import type { LastingStep, Moment, Script } from '../script.ts';

const resting: readonly Moment[] = [{ resting: true }, { afterMs: 300 }];
const comes = (signal: string): LastingStep => ({ do: 'await', signal });

export const resetScripts: readonly Script[] = [
  {
    name: 'reset to before a signal and an update, which are brought again',
    steps: [comes('one'), comes('end')],
    outside: [
      { act: 'signal', name: 'one', when: resting },
      { act: 'update', name: 'plain', when: resting },
      { act: 'resetRun', task: 1, reapply: 'all', when: resting },
      { act: 'signal', name: 'end', when: resting },
    ],
  },
  {
    name: 'reset to before a signal, which is left out',
    steps: [comes('one'), comes('end')],
    outside: [
      { act: 'signal', name: 'one', when: resting },
      { act: 'resetRun', task: 1, reapply: 'none', when: resting },
      { act: 'signal', name: 'one', when: resting },
      { act: 'signal', name: 'end', when: resting },
    ],
  },
  {
    name: 'reset while an activity waits for its next attempt: it begins anew',
    steps: [
      {
        do: 'activity',
        label: 'a',
        startToClose: 60_000,
        attempts: [{ ends: { is: 'failed', type: 'Trouble' } }, { ends: { is: 'done' } }],
        retry: { firstMs: 8_000 },
      },
    ],
    outside: [
      { act: 'signal', name: 'one', when: [{ waiting: 'a', attempt: 2 }, ...resting] },
      { act: 'resetRun', task: 2, reapply: 'all', when: resting },
    ],
  },
];
