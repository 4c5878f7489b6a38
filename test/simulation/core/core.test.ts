/** The simulated Temporal and core in a few scripts; all are compared with the server's. */
import { bundleOfScripts } from '../differential/temporal/bundle.ts';
import type { ScriptBundle } from '../differential/temporal/bundle.ts';
import { onSimulation } from '../differential/temporal/on-simulation.ts';
import type { PlayOptions, SimulatedPlay } from '../differential/temporal/on-simulation.ts';
import type { Script } from '../differential/temporal/script.ts';
import { handWritten } from '../differential/temporal/scripts/all.ts';

let bundle: ScriptBundle;

beforeAll(async () => {
  bundle = await bundleOfScripts();
});

afterAll(async () => {
  await bundle.remove();
});

function scriptOf(name: string): Script {
  const script = handWritten.find((one) => one.name === name);
  if (!script) throw new Error(`there is no script "${name}"`);
  return script;
}

function play(name: string, options?: PlayOptions): Promise<SimulatedPlay> {
  return onSimulation(scriptOf(name), bundle.codePath, options);
}

const task = ['WORKFLOW_TASK_SCHEDULED', 'WORKFLOW_TASK_STARTED', 'WORKFLOW_TASK_COMPLETED'];
const killed = 'killed during a local activity: the task times out, and the activity runs again';

describe('the simulated Temporal', () => {
  test('tries an activity again until it succeeds', async () => {
    const { observation } = await play('an activity fails twice and succeeds');
    expect(observation.runs).toEqual([
      {
        status: 'COMPLETED',
        events: [
          'WORKFLOW_EXECUTION_STARTED',
          ...task,
          'ACTIVITY_TASK_SCHEDULED',
          'ACTIVITY_TASK_STARTED',
          'ACTIVITY_TASK_COMPLETED',
          ...task,
          'WORKFLOW_EXECUTION_COMPLETED',
        ],
        end: ['run 1', '0 activity: a a#3'],
        log: ['run 1', '0 activity: a a#3'],
      },
    ]);
    expect(observation.attempts).toEqual({
      'a#1': ['starts', 'ends failed'],
      'a#2': ['starts', 'ends broken'],
      'a#3': ['starts', 'ends done'],
    });
  });

  test('goes on from a task of a run that is reset: its activity begins anew', async () => {
    const name = 'reset while an activity waits for its next attempt: it begins anew';
    const { observation } = await play(name, { evictions: 1 });
    expect(observation.runs.map(({ status, end }) => [status, ...end])).toEqual([
      ['TERMINATED'],
      ['COMPLETED', 'run 1', 'heard one', '0 activity: a a#2'],
    ]);
    const first = ['starts', 'ends failed'];
    expect(observation.attempts).toEqual({
      'a#1': [...first, ...first],
      'a#2': ['starts', 'ends done'],
    });
  });

  test('gives back a task that would end the run without a signal that came meanwhile', async () => {
    const { observation } = await play('a signal comes while the last task runs');
    expect(observation.runs[0]?.events).toEqual([
      'WORKFLOW_EXECUTION_STARTED',
      'WORKFLOW_TASK_SCHEDULED',
      'WORKFLOW_TASK_STARTED',
      'WORKFLOW_TASK_FAILED',
      'WORKFLOW_EXECUTION_SIGNALED',
      ...task,
      'MARKER_RECORDED',
      'WORKFLOW_EXECUTION_COMPLETED',
    ]);
    expect(observation.runs[0]?.end).toEqual(['run 1', 'heard late', '0 local: a a#1']);
  });

  test.each([
    'continue-as-new twice',
    'a run is to be cancelled, and clears up',
    'several signals while a task runs, with a timer and an activity that end meanwhile',
    'a cancellation that does not wait',
  ])('replays a run that left the cache, at every task: %s', async (name) => {
    const [usual, evicted] = [await play(name), await play(name, { evictions: 1 })];
    expect(evicted.observation).toEqual(usual.observation);
    expect(evicted.simulation.violations).toEqual([]);
  });

  test('goes on with another worker when one is killed', async () => {
    const { observation } = await play(killed);
    expect(observation.runs[0]?.events).toEqual([
      'WORKFLOW_EXECUTION_STARTED',
      ...task,
      'MARKER_RECORDED',
      'TIMER_STARTED',
      'TIMER_FIRED',
      'WORKFLOW_TASK_SCHEDULED',
      'WORKFLOW_TASK_STARTED',
      'WORKFLOW_TASK_TIMED_OUT',
      ...task,
      'MARKER_RECORDED',
      'MARKER_RECORDED',
      'WORKFLOW_EXECUTION_COMPLETED',
    ]);
    // Both local activities of that task run again: their markers were lost with it.
    expect(observation.attempts['a#1']).toEqual(['starts', 'ends done', 'starts', 'ends done']);
    expect(observation.attempts['b#1']).toEqual(['starts', 'starts', 'ends done']);
  });

  test('runs the same way for the same seed, and another way for another one', async () => {
    const fingerprints = new Map<number, string[]>();
    for (const seed of [7, 7, 8]) {
      const { simulation } = await play(killed, { seed });
      fingerprints.set(seed, [...(fingerprints.get(seed) ?? []), simulation.timeline.fingerprint]);
    }
    const [first, second] = fingerprints.get(7) ?? [];
    expect(first).toBe(second);
    expect(fingerprints.get(8)).not.toContain(first);
  });
});
