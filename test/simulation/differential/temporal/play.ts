/** Plays a script on a stage, and gathers what is to be compared. */
import { Director, errorText } from './outside.ts';
import { attemptsOf, normalized } from './observation.ts';
import type { Observation, RunObservation } from './observation.ts';
import type { Script } from './script.ts';
import type { FoundRun, Stage } from './stage.ts';

export async function play(stage: Stage, script: Script): Promise<Observation> {
  const director = new Director(stage, script);
  await director.play();
  await untilQuiet(stage);
  const found = await stage.runs(director.runIds);
  const runs: RunObservation[] = [];
  for (const run of found) runs.push(await withLog(stage, run));
  const { answers } = director;
  return normalized(script, { runs, answers, attempts: attemptsOf(stage.notes) });
}

/** Longer than all attempts work that end at all. */
const longestWorkMs = 4_500;
const pollMs = 100;

/** The server may have given up an attempt that still runs. */
async function untilQuiet(stage: Stage): Promise<void> {
  const deadline = stage.now() + longestWorkMs;
  const count = (word: string): number =>
    stage.notes.filter(({ what }) => what.startsWith(word)).length;
  while (count('starts') > count('ends') && stage.now() < deadline) await stage.sleep(pollMs);
}

async function withLog(
  { client, workflowId }: Stage,
  { runId, status, events, end }: FoundRun,
): Promise<RunObservation> {
  // The worker that had the task when the run was ended may know more than the history.
  if (events.at(-2) === 'WORKFLOW_EXECUTION_SIGNALED') return { status, events, end, log: [] };
  const handle = client.workflow.getHandle(workflowId, runId);
  const log = await handle
    .query<string[]>('log')
    .catch((error: unknown) => [errorText(error, workflowId)]);
  return { status, events, end, log };
}
