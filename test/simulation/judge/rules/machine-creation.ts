/** Which Machines a process may make (MCM 6.4, 6.7, 8.1). */
import { isClosed, isDeleting, ownerOf } from '../objects.ts';
import type { JudgedObject } from '../objects.ts';
import type { Life } from '../past/lives.ts';
import { judgeAuthority } from './authority-rules.ts';
import type { Case } from './case.ts';
import { judgeMade } from './in-place-rules.ts';
import { noteCreation, wasTooFew } from './set-sizes.ts';

export function judgeMachineCreation(judged: Case): void {
  const { evidence, install, write, after, past, since } = judged;
  if (!after) return;
  const { process, sentAt } = write;
  const { name, uid } = after.metadata;
  const what = `created Machine ${name}`;
  judgeAuthority(evidence, install, { by: process.name, what, subject: uid, sentAt });
  // A policy may have taken its owner off.
  const set = past.sets.of(ownerOf(after) ?? ownerOf(Object(write.body)));
  const fault = set ? faultOf(set, after, since) : 'without a set';
  if (fault !== undefined) {
    const text = `${process.name} ${what} ${fault}`;
    evidence.rulings.against('a Machine is made by a set', uid, text);
  }
  if (!set) return;
  // The set counted the machine of the first one, which has gone again.
  const isWanted = write.isAgain === true || wasTooFew(judged, set);
  noteCreation(judged, set);
  if (write.isAgain !== true) judgeMade(judged, set);
  if (isWanted) return;
  const { present } = past.tallies.of(set.uid);
  const text = `${process.name} ${what}: set ${set.last.metadata.name} has ${present.now} machines of ${set.last.spec?.replicas}`;
  evidence.rulings.against('a set makes no more than its replicas', uid, text);
}

function faultOf(set: Life, machine: JudgedObject, since: number): string | undefined {
  const { name } = set.last.metadata;
  const is = (isSo: (object: JudgedObject) => boolean): boolean => set.hasBeenSince(since, isSo);
  if (!set.wasSince(since, (object) => !isDeleting(object))) {
    return `of set ${name}, which is being deleted`;
  }
  if (is(({ metadata }) => metadata.labels?.['freeze'] === 'True')) {
    return `of set ${name}, which is frozen`;
  }
  if (is(isClosed)) return `of set ${name}, which is closed`;
  const isOfTemplate = set.wasSince(
    since,
    ({ spec }) => spec?.template?.spec?.class?.name === machine.spec?.class?.name,
  );
  return isOfTemplate ? undefined : `of another class than the template of set ${name}`;
}
