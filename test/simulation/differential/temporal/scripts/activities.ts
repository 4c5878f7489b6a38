/** Regular activities: retries, time limits, heartbeats, cancellation, resets. */
import type { ActivityStep, AttemptPlan, Script, Step } from '../script.ts';

const done: AttemptPlan = { ends: { is: 'done' } };
const fails: AttemptPlan = { ends: { is: 'failed', type: 'Trouble' } };
const minuteMs = 60_000;

function activity(label: string, rest: Omit<ActivityStep, 'do' | 'label'>): ActivityStep {
  return { do: 'activity', label, startToClose: minuteMs, ...rest };
}

/** Cancels the activity while the other steps are over. */
function cancelled(body: Step, until: readonly Step[]): Step {
  return { do: 'cancel', body: [body], until };
}

const waits = 'WAIT_CANCELLATION_COMPLETED';

export const activityScripts: readonly Script[] = [
  {
    name: 'an activity fails twice and succeeds',
    steps: [activity('a', { attempts: [fails, { ends: { is: 'broken', message: 'odd' } }, done] })],
  },
  {
    name: 'activities fail for good: by their kind, by the policy, after the last attempt',
    steps: [
      activity('a', {
        attempts: [{ ends: { is: 'failed', type: 'End', isFinal: true, details: 'd' } }],
      }),
      activity('b', { attempts: [fails], retry: { finalTypes: ['Trouble'] } }),
      activity('c', { attempts: [fails], retry: { attempts: 2 } }),
      activity('d', {
        attempts: [{ ends: { is: 'broken', message: 'odd' } }],
        retry: { attempts: 1 },
      }),
    ],
  },
  {
    name: 'the failure says when to try again, also where nothing is left to wait for',
    steps: [
      activity('a', {
        attempts: [{ ends: { is: 'failed', type: 'Busy', nextDelayMs: 700 } }, done],
        retry: { firstMs: minuteMs },
      }),
      activity('b', {
        attempts: [{ ends: { is: 'failed', type: 'Busy', nextDelayMs: minuteMs } }],
        scheduleToClose: 5_000,
      }),
    ],
  },
  {
    name: 'time limits of attempts and of all of them',
    steps: [
      activity('a', { attempts: [{ worksMs: 2_500, ...done }, done], startToClose: 1_000 }),
      activity('b', {
        attempts: [{ worksMs: 2_500, ...done }],
        startToClose: 1_000,
        retry: { attempts: 2 },
      }),
      activity('c', { attempts: [fails], scheduleToClose: 1_500, retry: { firstMs: 1_000 } }),
      activity('d', { attempts: [{ worksMs: 4_000, ...done }], scheduleToClose: 1_500 }),
      activity('e', { attempts: [fails, { worksMs: 4_000, ...done }], scheduleToClose: 1_500 }),
    ],
  },
  {
    name: 'nobody takes an activity',
    steps: [
      activity('a', { attempts: [done], isUnserved: true, scheduleToStart: 1_000 }),
      activity('b', { attempts: [done], isUnserved: true, scheduleToClose: 1_000 }),
      activity('c', { attempts: [fails, done], scheduleToStart: 5_000 }),
    ],
  },
  {
    name: 'heartbeats: their details reach the next attempt, after a failure and after a silence',
    steps: [
      activity('a', { attempts: [{ beats: ['one', 'two'], ...fails }, done], heartbeat: 5_000 }),
      activity('b', {
        attempts: [{ beats: ['one'], worksMs: 3_500, ...done }, done],
        heartbeat: 1_500,
      }),
      activity('c', {
        attempts: [{ beats: ['one'], worksMs: 3_500, ...done }],
        heartbeat: 1_500,
        retry: { attempts: 1 },
      }),
      activity('d', {
        attempts: [{ beats: ['x', 'y', 'z'], pauseMs: 600, ...done }],
        heartbeat: 1_500,
      }),
      { do: 'sleep', ms: 1_000 },
    ],
  },
  {
    name: 'an activity is cancelled while it runs, and says so, ends all the same, or fails',
    steps: [
      cancelled(
        activity('a', {
          attempts: [{ untilCancelled: true, ends: { is: 'cancelled' } }],
          heartbeat: 3_000,
          cancellation: waits,
        }),
        [{ do: 'sleep', ms: 800 }],
      ),
      cancelled(
        activity('b', {
          attempts: [{ untilCancelled: true, ...done }],
          heartbeat: 3_000,
          cancellation: waits,
        }),
        [{ do: 'sleep', ms: 800 }],
      ),
      cancelled(
        activity('c', {
          attempts: [{ untilCancelled: true, ...fails }],
          heartbeat: 3_000,
          cancellation: waits,
        }),
        [{ do: 'sleep', ms: 800 }],
      ),
    ],
  },
  {
    name: 'an activity that hears nothing is cancelled: its end comes late, or never',
    steps: [
      cancelled(activity('a', { attempts: [{ worksMs: 2_000, ...done }], cancellation: waits }), [
        { do: 'sleep', ms: 700 },
      ]),
      cancelled(
        activity('b', {
          attempts: [{ worksMs: 2_600, ...done }],
          startToClose: 1_800,
          cancellation: waits,
        }),
        [{ do: 'sleep', ms: 700 }],
      ),
      cancelled(
        activity('c', {
          attempts: [{ beats: ['last'], worksMs: 4_200, ...done }],
          heartbeat: 1_800,
          cancellation: waits,
        }),
        [{ do: 'sleep', ms: 700 }],
      ),
      { do: 'sleep', ms: 3_500 },
    ],
  },
  {
    name: 'an activity is cancelled while it waits for its next attempt, or for a worker',
    steps: [
      cancelled(
        activity('a', { attempts: [fails], retry: { firstMs: minuteMs }, cancellation: waits }),
        [{ do: 'sleep', ms: 1_000 }],
      ),
      cancelled(activity('b', { attempts: [done], isUnserved: true, cancellation: waits }), [
        { do: 'sleep', ms: 700 },
      ]),
    ],
  },
  {
    name: 'an activity is cancelled in the task that schedules it',
    steps: [
      cancelled(activity('a', { attempts: [done], cancellation: waits }), []),
      { do: 'sleep', ms: 300 },
    ],
  },
  {
    name: 'a cancellation that does not wait',
    steps: [
      cancelled(
        activity('a', {
          attempts: [{ untilCancelled: true, ends: { is: 'cancelled' } }],
          heartbeat: 3_000,
          cancellation: 'TRY_CANCEL',
        }),
        [{ do: 'sleep', ms: 800 }],
      ),
      { do: 'sleep', ms: 2_500 },
      cancelled(
        activity('b', { attempts: [{ worksMs: 1_500, ...done }], cancellation: 'ABANDON' }),
        [{ do: 'sleep', ms: 700 }],
      ),
      { do: 'sleep', ms: 1_500 },
    ],
  },
  {
    name: 'an activity says that it was cancelled, and nobody asked it to',
    steps: [
      activity('a', { attempts: [{ ends: { is: 'cancelled' } }, done] }),
      activity('b', { attempts: [{ ends: { is: 'cancelled' } }], retry: { attempts: 2 } }),
    ],
  },
  {
    name: 'a reset ends the wait for the next attempt',
    steps: [
      activity('a', {
        attempts: [{ beats: ['kept'], ...fails }, fails, done],
        heartbeat: 5_000,
        retry: { firstMs: minuteMs },
      }),
    ],
    outside: [
      { act: 'describe', when: [{ waiting: 'a', attempt: 2 }] },
      { act: 'reset', label: 'a' },
      { act: 'reset', label: 'a', when: [{ waiting: 'a', attempt: 2 }] },
      { act: 'terminate', when: [{ waiting: 'a', attempt: 2 }] },
      { act: 'reset', label: 'a' },
    ],
  },
  {
    name: 'a reset ends the wait, and the attempt after it gives signs of life',
    steps: [
      activity('a', {
        attempts: [{ beats: ['x'], pauseMs: 4_000, ...fails }],
        retry: { firstMs: minuteMs },
        heartbeat: 10_000,
      }),
    ],
    outside: [
      { act: 'reset', label: 'a', when: [{ waiting: 'a', attempt: 2 }] },
      { act: 'describe', when: [{ afterMs: 2_500 }] },
      { act: 'terminate', when: [{ waiting: 'a', attempt: 2 }] },
      { act: 'describe' },
    ],
  },
  {
    name: 'a reset of an activity that runs',
    steps: [
      activity('a', {
        attempts: [{ untilCancelled: true, ends: { is: 'cancelled' } }, done],
        heartbeat: 3_000,
      }),
      activity('b', { attempts: [{ worksMs: 1_500, ...fails }, done] }),
      activity('c', { attempts: [fails, { worksMs: 1_500, ...fails }, done] }),
    ],
    outside: [
      { act: 'reset', label: 'a', when: [{ started: 'a#1' }] },
      { act: 'describe' },
      { act: 'reset', label: 'b', when: [{ started: 'b#1' }] },
      { act: 'describe' },
      { act: 'reset', label: 'c', when: [{ started: 'c#2' }] },
      { act: 'reset', label: 'none' },
    ],
  },
];
