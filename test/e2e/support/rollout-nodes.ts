/** Marks on Nodes during a rollout. */
import { annotations, options, taints } from '../../../workflows/api/constants.ts';
import type { NodeObject } from './cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { secondClass, type Rollout } from './rollout-under-test.ts';

export interface Marks {
  /** Nodes with the taint. */
  avoided: string[];
  /** Nodes that the autoscaler leaves alone, and which say that this was our doing. */
  kept: string[];
}

function marksOf(nodes: readonly NodeObject[]): Marks {
  return { avoided: namesOf(nodes.filter(isAvoided)), kept: namesOf(nodes.filter(isKept)) };
}

function namesOf(nodes: readonly NodeObject[]): string[] {
  return nodes.map(({ metadata }) => metadata.name).toSorted();
}

function isAvoided({ spec }: NodeObject): boolean {
  const found = spec?.taints?.find(({ key }) => key === taints.preferNoSchedule);
  return found?.effect === 'PreferNoSchedule';
}

function isKept({ metadata: { annotations: notes = {} } }: NodeObject): boolean {
  const values = [notes[annotations.scaleDownDisabled], notes[annotations.scaleDownDisabledByUs]];
  // Never one without the other.
  expect(values[0]).toBe(values[1]);
  return values[0] === 'true';
}

/** Waits until Nodes are marked so; `marks` is given the names of all that there are. */
export async function untilMarks(
  { scenario }: Rollout,
  marks: (all: string[]) => Marks,
): Promise<void> {
  await eventually('Nodes are marked as the rollout wants them', async () => {
    const nodes = await scenario.cluster.nodes();
    expect(marksOf(nodes)).toEqual(marks(namesOf(nodes)));
  });
}

export const none = (): Marks => ({ avoided: [], kept: [] });

/** Those with which the deployment began. */
export function oldOf(rollout: Rollout, all: readonly string[]): string[] {
  return all.filter((name) => rollout.firstMachines.includes(name));
}

/** Of four machines two are new; the rollout holds until it is resumed or taken back. */
export async function holdInTheMiddle(rollout: Rollout): Promise<void> {
  await rollout.annotate({ [options.canary]: '2' });
  await rollout.changeClass(secondClass);
  await rollout.untilFound('BlockedBy="canary"');
  await rollout.untilSettled();
  expect(rollout.sizes).toEqual({ old: 2, new: 2 });
}
