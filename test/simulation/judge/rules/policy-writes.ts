/** What DisruptionPolicies say of single machines, and their own status. */
import { closedFor } from '../policies/gates.ts';
import { policyOf } from '../policies/policy-of.ts';
import { isDeleting, ownerOf, phaseOf } from '../objects.ts';
import { textOf } from './case.ts';
import type { Case } from './case.ts';

/** Of a machine whose Node is ill: its instance lives, and it may come back. */
export function judgeReplacement(judged: Case): void {
  const { evidence, past, before, after, since, now } = judged;
  if (!before || !after || phaseOf(before) !== 'Unknown' || phaseOf(after) !== 'Failed') return;
  const { providerID } = after.spec ?? {};
  if (providerID !== undefined && !evidence.instances.isLiving(providerID)) return;
  const set = past.sets.of(ownerOf(after));
  const deployment = set && past.deployments.of(ownerOf(set.last));
  if (!deployment?.object || deployment.wasSince(since, isDeleting)) return;
  const span = { from: since, to: now };
  const closed = closedFor({ past, deployment, reason: 'Replace', span });
  if (!closed) return;
  const text = `${textOf(judged, 'let')} fail while DisruptionPolicy ${closed.last.metadata.name} was closed`;
  const rule = 'nothing is taken while a policy is closed';
  evidence.rulings.against(rule, `${after.metadata.uid} ${now}`, text);
}

/** As many deployments have a turn as may, but for those that had it before. */
export function judgeTurns(judged: Case): void {
  const { evidence, past, before, after, now } = judged;
  if (!before || !after) return;
  const policy = policyOf(after);
  const { deployments: limit } = policy.spec.atATime ?? {};
  const present = (object: typeof after): string[] =>
    (policyOf(object).status?.turns ?? [])
      .filter(({ uid }) => past.deployments.of(uid)?.object !== undefined)
      .map(({ uid }) => uid);
  const [old, turns] = [present(before), present(after)];
  const isNew = turns.some((uid) => !old.includes(uid));
  if (!isNew || limit === undefined || turns.length <= limit) return;
  const text = `${textOf(judged, 'gave turns of')} to ${turns.length} deployments, allowed are ${limit}`;
  evidence.rulings.against(
    'a deployment rolls when it has its turn',
    `${after.metadata.uid} ${now}`,
    text,
  );
}
