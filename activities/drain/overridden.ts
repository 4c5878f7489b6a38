/**
 * Pods that are deleted without a grace period, and budgets that are not asked: an Event on each,
 * and on the Machine.
 */
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import { budgetsOf } from '../../workflows/plan/drain/budgets.ts';
import type { DrainPod } from '../../workflows/plan/drain/removals.ts';
import { podKey } from '../../workflows/plan/drain/removals.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import { component, machineSubject } from '../machine/object.ts';
import type { Budgets } from './budgets.ts';

export interface Overriding {
  control: KubeClient;
  target: KubeClient;
  machine: ObjectReference;
  pods: readonly DrainPod[];
  /** Why they are not asked. */
  why: string;
}

const mostNamed = 10;

const forced = { type: 'Warning', reason: 'DrainForced', component } as const;

/** Before they are deleted. */
export function reportPods({ control, target, machine, pods, why }: Overriding): void {
  if (pods.length === 0) return;
  const drain = `the drain of machine ${machine.namespace}/${machine.name}`;
  const message = `Deleted without a grace period by ${drain}: ${why}`;
  for (const { namespace, name, uid } of pods) {
    recordEvent(
      target,
      { apiVersion: 'v1', kind: 'Pod', namespace, name, uid },
      { ...forced, message },
    );
  }
  const words = `Deleting without a grace period, whatever budgets say: ${why}; ${named(pods)}`;
  recordEvent(control, machineSubject(machine), { ...forced, message: words });
}

/**
 * Records an Event on the budgets that cover one of the pods; read last, as nothing waits for it.
 */
export async function reportBudgets(overriding: Overriding, budgets: Budgets): Promise<void> {
  const { target, machine, pods, why } = overriding;
  for (const namespace of new Set(pods.map((pod) => pod.namespace))) {
    for (const budget of await budgets.of(namespace)) {
      const taken = pods.filter((pod) => budgetsOf(pod, [budget]).length > 0);
      const { name, uid } = budget.metadata;
      if (taken.length === 0 || uid === undefined) continue;
      const message = `It was not asked by the drain of machine ${machine.namespace}/${machine.name}: ${why}; ${named(taken)}`;
      const subject = {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        namespace,
        name,
        uid,
      };
      recordEvent(target, subject, { ...forced, message });
    }
  }
}

function named(pods: readonly DrainPod[]): string {
  const names = pods.map(podKey).toSorted().slice(0, mostNamed).join(', ');
  const more = pods.length > mostNamed ? ` and ${pods.length - mostNamed} more` : '';
  return `${pods.length} ${pods.length === 1 ? 'pod' : 'pods'}: ${names}${more}`;
}
