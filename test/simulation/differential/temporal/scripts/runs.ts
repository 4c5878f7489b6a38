/** Runs: signals, queries, timers, failed tasks, retries, continue-as-new, ends from outside. */
import type { ActivityStep, AttemptPlan, Script, Step } from '../script.ts';

const done: AttemptPlan = { ends: { is: 'done' } };
const fails: AttemptPlan = { ends: { is: 'failed', type: 'Trouble' } };
const minuteMs = 60_000;

function local(label: string, worksMs: number): ActivityStep {
  return { do: 'local', label, startToClose: minuteMs, attempts: [{ worksMs, ...done }] };
}

const comes = (signal: string): Step => ({ do: 'await', signal });

export const runScripts: readonly Script[] = [
  {
    name: 'timers, memos and search attributes',
    steps: [
      { do: 'sleep', ms: 300 },
      { do: 'memo', value: 'one' },
      { do: 'state', value: 'Running' },
      { do: 'await', signal: 'never', withinMs: 400 },
      { do: 'cancel', body: [{ do: 'sleep', ms: minuteMs }], until: [{ do: 'sleep', ms: 300 }] },
      { do: 'cancel', body: [{ do: 'sleep', ms: minuteMs }], until: [] },
      { do: 'sleep', ms: 300 },
    ],
    outside: [{ act: 'describe', when: [{ event: 'TIMER_STARTED', count: 2 }, { resting: true }] }],
  },
  {
    name: 'a signal before time is up, and a query meanwhile',
    steps: [{ do: 'await', signal: 'go', withinMs: minuteMs }, comes('on')],
    outside: [
      { act: 'query', name: 'log' },
      { act: 'query', name: 'unknown', when: [{ resting: true }] },
      { act: 'signal', name: 'go' },
      { act: 'query', name: 'log', when: [{ event: 'TIMER_CANCELED' }, { resting: true }] },
      { act: 'signal', name: 'on' },
      { act: 'signal', name: 'late', when: [{ closed: true }] },
      { act: 'query', name: 'log' },
      { act: 'cancel' },
      { act: 'terminate' },
    ],
  },
  {
    name: 'a signal comes while the last task runs',
    steps: [local('a', 1_500)],
    outside: [{ act: 'signal', name: 'late', when: [{ started: 'a#1' }, { afterMs: 300 }] }],
  },
  {
    name: 'a signal comes while the task runs that continues as new',
    steps: [local('a', 1_500), { do: 'continue', steps: [local('b', 300), comes('next')] }],
    outside: [
      { act: 'signal', name: 'early', when: [{ started: 'a#1' }, { afterMs: 300 }] },
      { act: 'signal', name: 'next', when: [{ event: 'MARKER_RECORDED' }, { resting: true }] },
      { act: 'signal', name: 'again', ofRun: 'first' },
    ],
  },
  {
    name: 'continue-as-new twice',
    steps: [
      { do: 'state', value: 'First' },
      { do: 'memo', value: 'first' },
      { do: 'sleep', ms: 300 },
      {
        do: 'continue',
        steps: [
          { do: 'activity', label: 'a', startToClose: minuteMs, attempts: [fails, done] },
          { do: 'continue', steps: [{ do: 'sleep', ms: 300 }] },
        ],
      },
    ],
    outside: [{ act: 'describe', when: [{ closed: true }] }],
  },
  {
    name: 'a run with a retry policy fails, and then for good',
    steps: [
      { do: 'state', value: 'First' },
      { do: 'memo', value: 'first' },
      { do: 'sleep', ms: 200 },
      { do: 'fail', type: 'Trouble' },
    ],
    start: { retry: { attempts: 3, firstMs: 3_000 } },
    outside: [{ act: 'describe', when: [{ afterMs: 1_800 }] }],
  },
  {
    name: 'a run with a retry policy fails in a way that ends it, or says when it goes on',
    steps: [
      { do: 'sleep', ms: 200 },
      { do: 'continue', steps: [{ do: 'fail', type: 'Later', nextDelayMs: 600 }] },
    ],
    start: { retry: { attempts: 2, firstMs: minuteMs } },
  },
  {
    name: 'a final failure of a run with a retry policy',
    steps: [{ do: 'fail', type: 'End', isFinal: true }],
    start: { retry: { firstMs: 400 } },
  },
  {
    name: 'a run fails with the failure of its activity',
    steps: [
      {
        do: 'rethrow',
        step: {
          do: 'activity',
          label: 'a',
          startToClose: minuteMs,
          attempts: [fails],
          retry: { attempts: 2 },
        },
      },
    ],
    start: { retry: { attempts: 2, firstMs: 400 } },
  },
  {
    name: 'a signal comes while a run waits for its retry',
    steps: [{ do: 'fail', type: 'Trouble' }],
    start: { retry: { attempts: 2, firstMs: 2_500 } },
    outside: [
      { act: 'describe', when: [{ afterMs: 800 }] },
      { act: 'signal', name: 'early' },
      { act: 'query', name: 'log', when: [{ closed: true }] },
    ],
  },
  {
    name: 'a run is to be cancelled, and clears up',
    steps: [
      {
        do: 'activity',
        label: 'a',
        startToClose: minuteMs,
        heartbeat: 3_000,
        cancellation: 'WAIT_CANCELLATION_COMPLETED',
        attempts: [{ untilCancelled: true, ends: { is: 'cancelled' } }],
      },
      { do: 'sleep', ms: 200 },
      { do: 'shield', body: [{ do: 'sleep', ms: 200 }, local('b', 100)] },
      { do: 'confess' },
    ],
    outside: [{ act: 'cancel', when: [{ started: 'a#1' }, { resting: true }] }, { act: 'cancel' }],
  },
  {
    name: 'terminated while an activity and a timer run',
    steps: [
      {
        do: 'parallel',
        branches: [
          [
            {
              do: 'activity',
              label: 'a',
              startToClose: minuteMs,
              heartbeat: 3_000,
              attempts: [{ untilCancelled: true, ...done }],
            },
          ],
          [{ do: 'sleep', ms: minuteMs }],
        ],
      },
    ],
    outside: [
      { act: 'terminate', when: [{ started: 'a#1' }, { resting: true }] },
      { act: 'describe' },
      { act: 'terminate' },
      { act: 'query', name: 'log' },
    ],
  },
  {
    name: 'started again while it runs, and when it is over',
    steps: [comes('go')],
    outside: [
      { act: 'start' },
      { act: 'start', conflict: 'FAIL' },
      { act: 'start', conflict: 'USE_EXISTING' },
      { act: 'signalWithStart', name: 'go', when: [{ resting: true }] },
      { act: 'start', reuse: 'REJECT_DUPLICATE', when: [{ closed: true }] },
      { act: 'start', when: [{ closed: true }] },
      { act: 'signalWithStart', name: 'first', steps: [comes('first')], when: [{ closed: true }] },
    ],
  },
  {
    name: 'a task fails and is tried again',
    steps: [
      { do: 'sleep', ms: 200 },
      { do: 'break', forMs: 1_500 },
      { do: 'sleep', ms: 200 },
    ],
    start: { taskTimeout: 3_000 },
    outside: [
      {
        act: 'signal',
        name: 'meanwhile',
        when: [{ event: 'WORKFLOW_TASK_FAILED', count: 2 }, { afterMs: 700 }],
      },
    ],
  },
  {
    name: 'time is up for a run',
    steps: [
      {
        do: 'activity',
        label: 'a',
        startToClose: minuteMs,
        attempts: [done],
        isUnserved: true,
      },
    ],
    start: { executionTimeout: 2_000 },
  },
  {
    name: 'cancelled in the task in which its end is on the way: a timer, an activity',
    steps: [
      {
        do: 'cancel',
        body: [{ do: 'sleep', ms: 1_500 }],
        until: [{ do: 'sleep', ms: 200 }, local('a', 2_500)],
      },
      { do: 'sleep', ms: 200 },
      {
        do: 'cancel',
        body: [
          {
            do: 'activity',
            label: 'b',
            startToClose: minuteMs,
            attempts: [{ worksMs: 1_500, ...done }],
            cancellation: 'WAIT_CANCELLATION_COMPLETED',
          },
        ],
        until: [{ do: 'sleep', ms: 200 }, local('c', 2_500)],
      },
      { do: 'sleep', ms: 200 },
      {
        do: 'cancel',
        body: [
          {
            do: 'activity',
            label: 'd',
            startToClose: minuteMs,
            attempts: [{ worksMs: 1_500, ...done }],
            cancellation: 'TRY_CANCEL',
          },
        ],
        until: [{ do: 'sleep', ms: 200 }, local('e', 2_500)],
      },
      { do: 'sleep', ms: 200 },
    ],
  },
  {
    name: 'terminated while a later task runs',
    steps: [{ do: 'sleep', ms: 200 }, local('z', 0), { do: 'sleep', ms: 200 }, local('a', 3_000)],
    outside: [{ act: 'signal', name: 'one', when: [{ started: 'a#1' }] }, { act: 'terminate' }],
  },
  {
    name: 'a timer fires while the task runs that ends the run',
    steps: [
      {
        do: 'parallel',
        branches: [
          [{ do: 'sleep', ms: 1_500 }],
          [{ do: 'sleep', ms: 200 }, local('a', 2_500), { do: 'fail', type: 'Trouble' }],
        ],
      },
    ],
  },
  {
    name: 'terminated while a task runs, and a signal with it',
    steps: [local('a', 3_000)],
    outside: [
      { act: 'signal', name: 'one', when: [{ started: 'a#1' }] },
      { act: 'terminate' },
      { act: 'query', name: 'log' },
    ],
  },
  {
    name: 'what is listed of activities',
    steps: [
      {
        do: 'parallel',
        branches: [
          [
            {
              do: 'activity',
              label: 'a',
              startToClose: minuteMs,
              heartbeat: 20_000,
              attempts: [{ beats: ['one'], worksMs: 9_000, ...done }],
            },
          ],
          [
            {
              do: 'activity',
              label: 'b',
              startToClose: minuteMs,
              attempts: [done],
              isUnserved: true,
            },
          ],
          [
            {
              do: 'activity',
              label: 'c',
              startToClose: 1_000,
              attempts: [{ worksMs: 2_000, ...done }],
              retry: { firstMs: minuteMs },
            },
          ],
          [
            {
              do: 'activity',
              label: 'd',
              startToClose: minuteMs,
              attempts: [fails, fails, { worksMs: 9_000, ...done }],
            },
          ],
          [
            {
              do: 'cancel',
              body: [
                {
                  do: 'activity',
                  label: 'e',
                  startToClose: minuteMs,
                  attempts: [{ worksMs: 9_000, ...done }],
                  cancellation: 'WAIT_CANCELLATION_COMPLETED',
                },
              ],
              until: [{ do: 'sleep', ms: 500 }],
            },
          ],
        ],
      },
    ],
    outside: [
      {
        act: 'describe',
        when: [{ waiting: 'c', attempt: 2 }, { started: 'd#3' }, { afterMs: 500 }],
      },
      { act: 'terminate' },
    ],
  },
  {
    name: 'several signals while a task runs, with a timer and an activity that end meanwhile',
    steps: [
      {
        do: 'parallel',
        branches: [
          [{ do: 'sleep', ms: 400 }],
          [
            {
              do: 'activity',
              label: 'a',
              startToClose: minuteMs,
              attempts: [{ worksMs: 200, ...done }],
            },
          ],
          [local('b', 2_000)],
          [comes('one'), comes('two')],
        ],
      },
    ],
    outside: [
      { act: 'signal', name: 'one', when: [{ started: 'b#1' }, { afterMs: 1_200 }] },
      { act: 'signal', name: 'two' },
    ],
  },
];
