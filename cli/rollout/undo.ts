/** `millwright rollout undo`: `spec.rollbackTo`, which a worker does and takes away. */
import { customResource } from '../../kube/client/paths.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import { rollbackChange } from '../../workflows/plan/machine-deployment/rollout/command-change.ts';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { untilAnswered } from '../connection/until-answered.ts';
import { readSetsOf } from '../objects/deployment-view.ts';
import { millwrightFor } from '../command-line/millwright-line.ts';
import { patchDeployment } from './change.ts';
import type { RolloutOptions } from './history.ts';
import { listOf, numberOf, revisionsOf } from './history.ts';

export interface UndoOptions extends RolloutOptions {
  /** 0: the one before. */
  toRevision: number;
}

/** A watcher and a worker need a second or two. */
const takenWithinMs = 20_000;

export async function undo(
  scope: ClusterScope,
  { name, toRevision }: UndoOptions,
): Promise<Answer> {
  const { deployment, sets, newSet } = await readSetsOf(scope, name);
  if (deployment.spec.paused === true) {
    throw new Error(`machinedeployment "${name}" is paused: resume it, then roll back`);
  }
  const set = goalOf(toRevision, sets, newSet);
  const data = { namespace: scope.namespace, name };
  if (!set) {
    const known = listOf(revisionsOf(sets, newSet));
    throw new Error(`unable to find the revision of "${name}" to roll back to; known are ${known}`);
  }
  const revision = numberOf(set);
  if (set === newSet) {
    const text = `skipped rollback (current template already matches revision ${revision})`;
    return { text, data: { ...data, revision, isDone: true } };
  }
  await patchDeployment(scope, deployment, rollbackChange(revision));
  const outcome = await outcomeOf(scope, name, { revision, set }).catch((error: unknown) => {
    throw new Error(
      `machinedeployment/${name} is asked to go back to revision ${revision}, and what comes of it is not known: ${reasonOf(error)}`,
      { cause: error },
    );
  });
  const isDone = outcome === 'done';
  const text = `machinedeployment/${name} ${messageOf(outcome, { ...data, revision })}`;
  return { text, data: { ...data, revision, isDone }, exitCode: isDone ? 0 : 1 };
}

interface Goal {
  revision: number;
  set: MachineSet;
}

/** `gone`: `rollbackTo` is on the object no more, and its template is not that of the goal. */
type UndoOutcome = 'done' | 'waiting' | 'gone';

/**
 * A worker takes `rollbackTo` away also where it refuses it, as when the set of the revision is
 * gone by then; and so does a client that replaces the whole spec.
 */
async function outcomeOf(
  scope: ClusterScope,
  name: string,
  { revision, set }: Goal,
): Promise<UndoOutcome> {
  const path = customResource('machinedeployments', scope.namespace, name);
  const isTaken = await untilAnswered(
    async () => {
      // Its refusals do not say that nothing was done, as those of `readDeployment` do.
      const { spec } = await scope.kube.get<MachineDeployment>(path);
      return spec.rollbackTo?.revision === revision ? undefined : true;
    },
    { withinMs: takenWithinMs },
  );
  if (!isTaken) return 'waiting';
  const { newSet } = await readSetsOf(scope, name);
  return newSet?.metadata.uid === set.metadata.uid ? 'done' : 'gone';
}

function messageOf(
  outcome: UndoOutcome,
  { namespace, name, revision }: { namespace: string; name: string; revision: number },
): string {
  switch (outcome) {
    case 'done':
      return `rolled back to revision ${revision}`;
    case 'waiting':
      return `is to go back to revision ${revision}, but no worker has done it yet; it stays asked for. See: ${millwrightFor('doctor', namespace)}`;
    case 'gone':
      return `is not back at revision ${revision}: a worker refused it, or another client replaced the spec. See: kubectl -n ${namespace} describe machinedeployment ${name}`;
  }
}

/** 0: the second highest revision; where the template has no set yet, the highest. */
function goalOf(
  toRevision: number,
  sets: readonly MachineSet[],
  newSet: MachineSet | undefined,
): MachineSet | undefined {
  if (toRevision > 0) return sets.find((set) => numberOf(set) === toRevision);
  return sets
    .filter((set) => set !== newSet && numberOf(set) > 0)
    .toSorted((a, b) => numberOf(b) - numberOf(a))[0];
}
