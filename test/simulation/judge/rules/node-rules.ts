/** Whose Nodes a process may write, and which it may delete (MCM 4.7 step 7; docs/safety.md). */
import { hasFinalizer, isDeleting, nodeFinalizer } from '../objects.ts';
import type { JudgedObject } from '../objects.ts';
import { installOfRecord } from '../past/instance-past.ts';
import { judgeAuthority } from './authority-rules.ts';
import { textOf } from './case.ts';
import type { Case } from './case.ts';

const unmanaged = 'node.machine.sapcloud.io/not-managed-by-mcm';

export function judgeNode(judged: Case): void {
  const { evidence, write, before } = judged;
  if (!before) return;
  if (isOfOther(judged) && !isMarkOfUnmanaged(judged)) {
    const text = `${textOf(judged, 'wrote')}, which is another install's`;
    evidence.rulings.against('nothing of another install is touched', before.metadata.uid, text);
  }
  if (write.method === 'DELETE' && !isDeleting(before)) judgeDeletion(judged);
}

/** Its instance was made by another install. */
function isOfOther({ evidence, install, before }: Case): boolean {
  const providerID = before?.spec?.providerID;
  if (providerID === undefined) return false;
  const owners = [...evidence.instances.withProviderId(providerID)].map(({ record }) =>
    installOfRecord(evidence.world, record),
  );
  return owners.some((owner) => owner !== undefined && owner !== install);
}

/**
 * The search for unmanaged Nodes knows another install by what its Node says alone. One that says
 * nothing yet it marks, and takes its finalizer off.
 */
function isMarkOfUnmanaged({ write, before, after }: Case): boolean {
  if (write.method !== 'PATCH' || !before || !after) return false;
  const isReleased = hasFinalizer(before, nodeFinalizer) && !hasFinalizer(after, nodeFinalizer);
  return isReleased || isMarked(before) !== isMarked(after);
}

function isMarked({ metadata }: JudgedObject): boolean {
  return metadata.annotations?.[unmanaged] !== undefined;
}

/** It goes after its instance, with the Machine of that instance. */
function judgeDeletion(judged: Case): void {
  const { evidence, install, write, before, since } = judged;
  if (!before) return;
  const { metadata, spec = {} } = before;
  const { process, sentAt } = write;
  const what = `deleted Node ${metadata.name}`;
  judgeAuthority(evidence, install, { by: process.name, what, subject: metadata.uid, sentAt });
  const { providerID } = spec;
  const control = evidence.controlOf(install);
  const naming = providerID === undefined ? [] : [...control.naming(providerID)];
  const keeper = naming.find((life) => life.hasBeenSince(since, (machine) => !isDeleting(machine)));
  if (keeper) {
    const text = `${textOf(judged, 'deleted')} of Machine ${keeper.last.metadata.name}, which is not being deleted`;
    evidence.rulings.against('a living Machine keeps its Node', metadata.uid, text);
  }
  const [instance] = providerID === undefined ? [] : evidence.instances.withProviderId(providerID);
  if (!instance) return;
  const text = `${textOf(judged, 'deleted')}, whose instance ${instance.record.id} lives`;
  evidence.rulings.against('a Node goes after its instance', metadata.uid, text);
}
