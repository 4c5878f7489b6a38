/** Tells people what is in the way of a drain: Events on the Machine and on the PodDisruptionBudgets. */
import type { DrainReport, LifeRef } from '../../workflows/activities.ts';
import type { Blocker } from '../../workflows/plan/drain-report.ts';
import type { KubeClient } from '../kube/client.ts';
import { isRefusal } from '../kube/errors.ts';
import { recordEvent } from '../kube/events.ts';
import { component, machineSubject } from '../machine/object.ts';
import { Budgets } from './budgets.ts';

export async function writeDrainEvents(
  { control, target }: { control: KubeClient; target: KubeClient },
  machine: LifeRef,
  { blockers, podsLeft }: DrainReport,
): Promise<void> {
  if (blockers.length === 0) {
    const message = 'Nothing is in the way of the drain any more';
    const text = { type: 'Normal', reason: 'DrainGoesOn', message, component } as const;
    await recordEvent(control, machineSubject(machine), text);
    return;
  }
  const words = blockers.map(({ pod, why }) => `${pod}: ${why}`).join('; ');
  const message = `${podsLeft} pods left: ${words}`;
  const text = { type: 'Warning', reason: 'DrainBlocked', message, component } as const;
  await recordEvent(control, machineSubject(machine), text);
  await writeOnBudgets(target, machine, blockers);
}

const prefix = 'PodDisruptionBudget/';

async function writeOnBudgets(
  target: KubeClient,
  machine: LifeRef,
  blockers: Blocker[],
): Promise<void> {
  const budgets = new Budgets(target);
  const names = new Set(blockers.map(({ blockedBy }) => blockedBy).filter(isBudget));
  for (const blockedBy of names) {
    const [namespace = '', name = ''] = blockedBy.slice(prefix.length).split('/');
    const known = await budgets.of(namespace);
    const uid = known.find(({ metadata }) => metadata.name === name)?.metadata.uid;
    if (uid === undefined) continue;
    const subject = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      namespace,
      name,
      uid,
    };
    const message = `It blocks the drain of machine ${machine.namespace}/${machine.name}`;
    const text = { type: 'Warning', reason: 'DrainBlocked', message, component } as const;
    try {
      await recordEvent(target, subject, text);
    } catch (error) {
      // A namespace that is going, or roles of an earlier version, take no Event: the drain does not depend on it.
      if (!isRefusal(error)) throw error;
    }
  }
}

function isBudget(blockedBy: string): boolean {
  return blockedBy.startsWith(prefix);
}
