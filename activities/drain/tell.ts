/** Tells people what is in the way of a drain: on the Machine, and on the PodDisruptionBudgets. */
import type { DrainReport, DrainRequest, LifeRef } from '../../workflows/activities.ts';
import type { Blocker } from '../../workflows/plan/drain-report.ts';
import { podsLeftInWords } from '../../workflows/plan/drain-report.ts';
import type { KubeClient } from '../kube/client.ts';
import { isRefusal } from '../kube/errors.ts';
import { recordEvent } from '../kube/events.ts';
import { component, machineSubject, patchMachine, timestamp } from '../machine/object.ts';
import { Budgets } from './budgets.ts';

export async function tellOfDrain(
  { control, target }: { control: KubeClient; target: KubeClient },
  { machine, keepsNode = false }: Pick<DrainRequest, 'machine' | 'keepsNode'>,
  report: DrainReport,
): Promise<void> {
  const message = wordsOf(report);
  // Of a machine that is kept, the last operation is its failure.
  if (!keepsNode) await writeOperation(control, machine, message);
  const isBlocked = report.blockers.length > 0;
  const kind = isBlocked
    ? ({ type: 'Warning', reason: 'DrainBlocked' } as const)
    : ({ type: 'Normal', reason: 'DrainGoesOn' } as const);
  await recordEvent(control, machineSubject(machine), { ...kind, message, component });
  await writeOnBudgets(target, machine, report.blockers);
}

function wordsOf({ blockers, podsLeft }: DrainReport): string {
  if (blockers.length === 0) return 'Nothing is in the way of the drain any more';
  const words = blockers.map(({ pod, why }) => `${pod}: ${why}`).join('; ');
  return `${podsLeftInWords(podsLeft)}: ${words}`;
}

async function writeOperation(
  control: KubeClient,
  machine: LifeRef,
  message: string,
): Promise<void> {
  const description = `Draining the Node: ${message}`;
  const now = timestamp();
  const lastOperation = { description, state: 'Processing', type: 'Delete', lastUpdateTime: now };
  await patchMachine(control, machine, { status: { lastOperation } });
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
