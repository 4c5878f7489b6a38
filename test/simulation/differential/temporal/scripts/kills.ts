/** A worker that is killed in the middle, and another one that goes on. */
import type { ActivityStep, AttemptPlan, Script, Step } from '../script.ts';

const done: AttemptPlan = { ends: { is: 'done' } };
const fails: AttemptPlan = { ends: { is: 'failed', type: 'Trouble' } };
const hangs: AttemptPlan = { worksMs: 60_000, ...done };
const minuteMs = 60_000;

function step(kind: ActivityStep['do'], label: string, rest: Partial<ActivityStep>): ActivityStep {
  return { do: kind, label, startToClose: minuteMs, attempts: [done], ...rest };
}

const comes = (signal: string): Step => ({ do: 'await', signal });

export const killScripts: readonly Script[] = [
  {
    name: 'killed during an activity, which falls silent',
    steps: [
      step('activity', 'a', { attempts: [{ beats: ['one'], ...hangs }, done], heartbeat: 2_000 }),
    ],
    outside: [
      { act: 'killWorker', when: [{ started: 'a#1' }, { resting: true }, { afterMs: 500 }] },
      { act: 'startWorker' },
    ],
  },
  {
    name: 'killed during an activity without heartbeats',
    steps: [step('activity', 'a', { attempts: [hangs, done], startToClose: 3_000 })],
    outside: [
      { act: 'killWorker', when: [{ started: 'a#1' }, { resting: true }] },
      { act: 'startWorker' },
    ],
  },
  {
    name: 'killed during a local activity: the task times out, and the activity runs again',
    steps: [
      step('local', 'z', {}),
      { do: 'sleep', ms: 200 },
      step('local', 'a', {}),
      step('local', 'b', { attempts: [{ worksMs: 1_500, ...done }] }),
    ],
    start: { taskTimeout: 8_000 },
    outside: [
      { act: 'killWorker', when: [{ started: 'b#1' }, { afterMs: 300 }] },
      { act: 'startWorker' },
    ],
  },
  {
    name: 'killed during a local activity that takes longer than its task',
    steps: [step('local', 'a', { attempts: [{ worksMs: 7_500, ...done }] })],
    start: { taskTimeout: 6_000 },
    outside: [
      { act: 'killWorker', when: [{ event: 'WORKFLOW_TASK_COMPLETED' }, { afterMs: 500 }] },
      { act: 'startWorker' },
    ],
  },
  {
    name: 'a worker ends in good order during activities: one hears of it, one is soon done',
    steps: [
      {
        do: 'parallel',
        branches: [
          [
            step('activity', 'a', {
              attempts: [{ beats: ['one'], untilCancelled: true, ends: { is: 'cancelled' } }, done],
              heartbeat: 5_000,
            }),
          ],
          [step('activity', 'b', { attempts: [{ worksMs: 3_000, ...done }, done] })],
        ],
      },
    ],
    outside: [
      { act: 'stopWorker', when: [{ started: 'a#1' }, { started: 'b#1' }, { resting: true }] },
      { act: 'startWorker' },
    ],
    isUnordered: true,
  },
  {
    name: 'a worker ends in good order during a local activity',
    steps: [
      step('local', 'a', { attempts: [{ worksMs: 2_500, ...done }] }),
      { do: 'sleep', ms: 200 },
    ],
    outside: [
      { act: 'stopWorker', when: [{ started: 'a#1' }, { afterMs: 300 }] },
      { act: 'startWorker' },
    ],
  },
  {
    name: 'a worker ends in good order while a local activity waits for its next attempt',
    steps: [step('local', 'a', { attempts: [fails, done], retry: { firstMs: 3_000 } })],
    outside: [
      { act: 'stopWorker', when: [{ started: 'a#1' }, { afterMs: 500 }] },
      { act: 'startWorker' },
    ],
  },
  {
    name: 'killed while nothing runs, and signalled meanwhile',
    steps: [{ do: 'sleep', ms: 300 }, comes('one'), comes('two')],
    outside: [
      { act: 'killWorker', when: [{ event: 'TIMER_FIRED' }, { resting: true }] },
      { act: 'signal', name: 'one' },
      { act: 'signal', name: 'two' },
      { act: 'startWorker', when: [{ afterMs: 2_000 }] },
    ],
  },
];
