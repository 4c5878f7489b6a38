/** Plays a script on a stage, and gathers what is to be compared. */
import { Director } from './outside.ts';
import { attemptsOf, normalized } from './observation.ts';
import type { Observation, RunObservation } from './observation.ts';
import type { Script } from './script.ts';
import type { FoundRun, Stage } from './stage.ts';

export async function play(stage: Stage, script: Script): Promise<Observation> {
  const director = new Director(stage, script);
  await director.play();
  const found = await stage.runs(director.runIds);
  const runs: RunObservation[] = [];
  for (const run of found) runs.push(await withLog(stage, run));
  const { answers } = director;
  return normalized(script, { runs, answers, attempts: attemptsOf(stage.notes) });
}

async function withLog(
  { client, workflowId }: Stage,
  { runId, status, events, end }: FoundRun,
): Promise<RunObservation> {
  const log = await client.workflow.getHandle(workflowId, runId).query<string[]>('log');
  return { status, events, end, log };
}
