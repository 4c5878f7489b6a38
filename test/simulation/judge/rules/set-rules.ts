/** Which MachineSets a process may make and delete (MCM 7.2, 7.7, 7.10). */
import { isDeleting, ownerOf } from '../objects.ts';
import type { Life } from '../past/lives.ts';
import { isOfTemplate } from '../templates.ts';
import { judgeLeader } from './authority-rules.ts';
import { textOf } from './case.ts';
import type { Case } from './case.ts';

export function judgeSetCreation(judged: Case): void {
  const { evidence, install, write, after, past, since } = judged;
  if (!after) return;
  const { name, uid } = after.metadata;
  const { process, sentAt } = write;
  const what = `created MachineSet ${name}`;
  judgeLeader(evidence, install, { by: process.name, what, subject: uid, sentAt });
  // A policy may have taken its owner off.
  const deployment = past.deployments.of(ownerOf(after) ?? ownerOf(Object(write.body)));
  const isWanted = deployment?.wasSince(
    since,
    (object) => !isDeleting(object) && isOfTemplate(after, object),
  );
  if (isWanted) return;
  const text = `${process.name} ${what}, which no MachineDeployment has asked for`;
  evidence.rulings.against('a set is made by a deployment', uid, text);
}

/** With its deployment, or as an empty old one when more are kept than the limit says. */
export function judgeSetDeletion(judged: Case): void {
  const { evidence, install, write, before, past, since } = judged;
  if (!before || isDeleting(before)) return;
  const { name, uid } = before.metadata;
  const { process, sentAt } = write;
  const what = `deleted MachineSet ${name}`;
  judgeLeader(evidence, install, { by: process.name, what, subject: uid, sentAt });
  const [set, deployment] = [past.sets.of(uid), past.deployments.of(ownerOf(before))];
  if (!set) return;
  const isGoing = !deployment?.object || deployment.wasSince(since, isDeleting);
  if (deployment && (isGoing || isLeftOver(judged, set, deployment))) return;
  const owner = deployment ? `of ${deployment.last.metadata.name}` : 'without a deployment';
  const text = `${textOf(judged, 'deleted')} ${owner} for no reason that the rules know`;
  evidence.rulings.against('a set is deleted for a reason', uid, text);
}

function isLeftOver({ past, since }: Case, set: Life, deployment: Life): boolean {
  const { present } = past.tallies.of(set.uid);
  const wasEmpty =
    present.since(since).includes(0) && set.wasSince(since, ({ spec }) => !spec?.replicas);
  const hasLimit = deployment.wasSince(
    since,
    ({ spec }) => spec?.revisionHistoryLimit !== undefined,
  );
  const wasOld = deployment.wasSince(since, (object) => !isOfTemplate(set.last, object));
  // Of two that were adopted with the same template one is kept.
  const isDouble = Array.from(past.sets.ownedBy(deployment.uid)).some(
    ({ uid, last }) => uid !== set.uid && isOfTemplate(last, deployment.last),
  );
  return wasEmpty && hasLimit && (wasOld || isDouble);
}
