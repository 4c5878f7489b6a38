/**
 * Counters of workflows. The SDK shows them on the worker that they run on, with `_total` behind
 * the name; replays do not count.
 */
import { metricMeter } from '@temporalio/workflow';

export interface WorkflowCounter {
  name: string;
  help: string;
  labels: readonly string[];
}

export const counters = {
  decisions: {
    name: 'millwright_decisions',
    help: 'Steps that workflows decided on, without those that only wait.',
    labels: ['kind', 'action'],
  },
  runsBegunAnew: {
    name: 'millwright_runs_begun_anew',
    help: 'Runs begun anew after one that failed.',
    labels: ['kind', 'reason'],
  },
  entitiesHealed: {
    name: 'millwright_safety_entities_healed',
    help: 'Workflows that a check started, or ended as their object was gone.',
    labels: ['kube_namespace'],
  },
  orphansDeleted: {
    name: 'millwright_safety_orphans_deleted',
    help: 'Instances deleted as orphans.',
    labels: ['kube_namespace'],
  },
} as const satisfies Record<string, WorkflowCounter>;

type Counters = typeof counters;
type CounterTags<C extends keyof Counters> = Record<Counters[C]['labels'][number], string>;

/** Nothing is no series: the SDK keeps that of a namespace which is served no more. */
export function count<C extends keyof Counters>(counter: C, tags: CounterTags<C>, by = 1): void {
  if (by === 0) return;
  const { name, help } = counters[counter];
  metricMeter.createCounter(name, '', help).add(by, tags);
}
