/** Status of their MachineDeployment. */
import type { FrontCondition, KubermaticDeploymentStatus } from '../../api/kubermatic.ts';
import type { LabelSelector } from '../../api/machine-set.ts';
import { selectorText } from '../../api/selector.ts';
import { defined } from '../../values/defined.ts';
import { mergePatchOf } from '../../values/merge-patch.ts';
import { mirroredDeployment, type PoolFacts } from './facts.ts';
import { patchOf, type Write } from './writes.ts';

/** Condition that is there only where it went wrong, until the spec changes. */
export const rolledBack = 'RolledBack';

export type NewCondition = Pick<FrontCondition, 'type' | 'status' | 'reason' | 'message'>;

/** The API server takes no longer message. */
const longestMessage = 32_768;

/** Each machine of a large pool may have a sentence. */
const mostSentences = 20;

/** A line each. */
export function someOf(sentences: readonly string[]): string {
  const left = sentences.length - mostSentences;
  const lines = sentences.slice(0, mostSentences);
  return [...lines, ...(left > 0 ? [`and ${left} more`] : [])].join('\n');
}

/** `isSettled`: ours asks for what theirs does, so that the answer of the core is one to theirs. */
export function statusWrites(
  facts: PoolFacts,
  said: readonly NewCondition[],
  { isSettled }: { isSettled: boolean },
): Write[] {
  const { metadata, spec, status: present } = facts.theirs.deployment;
  const conditions = conditionsAfter(facts, said);
  const wanted = {
    ...present,
    ...numbersOf(facts),
    ...(isSettled && { observedGeneration: metadata.generation }),
    selector: textOf(spec.selector),
    conditions,
  };
  const patch = mergePatchOf(present, wanted);
  if (patch === undefined) return [];
  return [{ ...patchOf('theirDeployment', { metadata }, { status: patch }), status: true }];
}

function textOf(selector: LabelSelector | undefined): string | undefined {
  return selectorText(selector) || undefined;
}

function numbersOf(facts: PoolFacts): KubermaticDeploymentStatus {
  const status = mirroredDeployment(facts)?.status;
  if (!status) return {};
  const { replicas = 0, updatedReplicas = 0, readyReplicas = 0 } = status;
  const { availableReplicas = 0, unavailableReplicas = 0 } = status;
  return { replicas, updatedReplicas, readyReplicas, availableReplicas, unavailableReplicas };
}

/** Those of others stay; the time is that of the last change of `status`. */
function conditionsAfter(
  { theirs, now }: PoolFacts,
  said: readonly NewCondition[],
): FrontCondition[] {
  const { metadata, status } = theirs.deployment;
  const present = status?.conditions ?? [];
  const others = present.filter(
    ({ type, observedGeneration }) =>
      !said.some((one) => one.type === type) &&
      (type !== rolledBack || observedGeneration === metadata.generation),
  );
  const own = said.map((one) => {
    const before = present.find(({ type }) => type === one.type);
    return defined({
      ...one,
      message: one.message.slice(0, longestMessage),
      lastTransitionTime: before?.status === one.status ? before.lastTransitionTime : now,
      observedGeneration: metadata.generation,
    });
  });
  return [...others, ...own];
}
