/** Local activities: retries, time limits, cancellation, and tasks that go on in another one. */
import type { ActivityStep, AttemptPlan, Script, Step } from '../script.ts';

const done: AttemptPlan = { ends: { is: 'done' } };
const fails: AttemptPlan = { ends: { is: 'failed', type: 'Trouble' } };
const minuteMs = 60_000;

function local(label: string, rest: Omit<ActivityStep, 'do' | 'label'>): ActivityStep {
  return { do: 'local', label, startToClose: minuteMs, ...rest };
}

function cancelled(body: Step, until: readonly Step[]): Step {
  return { do: 'cancel', body: [body], until };
}

const waits = 'WAIT_CANCELLATION_COMPLETED';

export const localActivityScripts: readonly Script[] = [
  {
    name: 'local activities succeed, also after failures',
    steps: [
      local('a', { attempts: [done] }),
      local('b', { attempts: [fails, { ends: { is: 'broken', message: 'odd' } }, done] }),
      local('c', { attempts: [{ ends: { is: 'failed', type: 'Busy', nextDelayMs: 900 } }, done] }),
      { do: 'sleep', ms: 200 },
    ],
  },
  {
    name: 'local activities fail for good',
    steps: [
      local('a', {
        attempts: [{ ends: { is: 'failed', type: 'End', isFinal: true, details: 'd' } }],
      }),
      local('b', { attempts: [fails], retry: { finalTypes: ['Trouble'] } }),
      local('c', {
        attempts: [{ ends: { is: 'broken', message: 'odd' } }],
        retry: { attempts: 2 },
      }),
      local('d', { attempts: [{ ends: { is: 'cancelled' } }, done], retry: { attempts: 2 } }),
    ],
  },
  {
    name: 'time limits of local activities',
    steps: [
      local('a', {
        attempts: [{ worksMs: 2_000, ...done }],
        startToClose: 700,
        retry: { attempts: 1 },
      }),
      local('b', { attempts: [{ worksMs: 2_000, ...done }, done], startToClose: 700 }),
      {
        do: 'local',
        label: 'c',
        attempts: [{ worksMs: 3_000, ...done }],
        scheduleToClose: 1_000,
      },
      { do: 'sleep', ms: 2_500 },
    ],
  },
  {
    name: 'the time limit of an attempt that failed ends the next one',
    steps: [
      local('a', {
        // A busy machine is late, so two seconds lie between any two of these: the second attempt
        // begins after 2 s, is ended after 6, the workflow task says after 8 that it goes on, and
        // the third attempt begins after 10.
        attempts: [fails, { worksMs: 6_000, ...done }, done],
        startToClose: 6_000,
        retry: { firstMs: 2_000 },
      }),
    ],
  },
  {
    name: 'the time for all attempts is over between two of them',
    steps: [
      local('a', {
        attempts: [fails, done],
        scheduleToClose: 1_000,
        startToClose: 500,
        retry: { firstMs: 2_000 },
      }),
    ],
  },
  {
    name: 'long waits between attempts are timers of the workflow',
    steps: [
      local('a', {
        attempts: [fails, fails, done],
        retry: { firstMs: 1_200 },
        localRetryThreshold: 1_000,
      }),
      local('b', {
        attempts: [fails, done],
        retry: { firstMs: 1_200 },
        localRetryThreshold: 1_000,
        scheduleToClose: 2_500,
      }),
    ],
  },
  {
    name: 'a local activity takes longer than its task',
    steps: [
      local('a', { attempts: [{ worksMs: 5_000, ...done }] }),
      local('b', { attempts: [fails, fails, done], retry: { firstMs: 1_800 } }),
    ],
    start: { taskTimeout: 4_000 },
  },
  {
    name: 'signals come while a local activity takes long',
    steps: [
      local('a', { attempts: [{ worksMs: 5_000, ...done }] }),
      { do: 'await', signal: 'one' },
      { do: 'await', signal: 'two' },
    ],
    outside: [
      { act: 'signal', name: 'one', when: [{ started: 'a#1' }] },
      { act: 'signal', name: 'two', when: [{ event: 'WORKFLOW_TASK_STARTED', count: 2 }] },
      { act: 'query', name: 'log' },
    ],
    start: { taskTimeout: 4_000 },
  },
  {
    name: 'local activities are cancelled by what ends beside them',
    steps: [
      cancelled(
        local('a', {
          attempts: [{ untilCancelled: true, ends: { is: 'cancelled' } }],
          cancellation: waits,
        }),
        [local('b', { attempts: [{ worksMs: 600, ...done }] })],
      ),
      cancelled(
        local('c', { attempts: [{ untilCancelled: true, ...done }], cancellation: waits }),
        [local('d', { attempts: [{ worksMs: 600, ...done }] })],
      ),
      cancelled(
        local('e', { attempts: [{ untilCancelled: true, ...fails }, done], cancellation: waits }),
        [local('f', { attempts: [{ worksMs: 600, ...done }] })],
      ),
      cancelled(
        local('g', { attempts: [fails], retry: { firstMs: 30_000 }, cancellation: waits }),
        [local('h', { attempts: [{ worksMs: 600, ...done }] })],
      ),
    ],
  },
  {
    name: 'a cancelled local activity that is not waited for',
    steps: [
      cancelled(
        local('a', { attempts: [{ worksMs: 1_500, ...done }], cancellation: 'TRY_CANCEL' }),
        [local('b', { attempts: [{ worksMs: 600, ...done }] })],
      ),
      cancelled(local('c', { attempts: [done], cancellation: waits }), []),
      { do: 'sleep', ms: 300 },
    ],
  },
  {
    name: 'local activities beside timers and regular ones',
    steps: [
      {
        do: 'parallel',
        branches: [
          [local('a', { attempts: [{ worksMs: 600, ...done }] }), local('b', { attempts: [done] })],
          [{ do: 'sleep', ms: 1_500 }],
          [
            {
              do: 'activity',
              label: 'c',
              startToClose: minuteMs,
              attempts: [{ worksMs: 1_800, ...done }],
            },
          ],
        ],
      },
    ],
  },
];
