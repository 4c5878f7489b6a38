/** When a process may take our finalizer off (MCM 2.1, 4.7 step 8, 4.8, 6.9, 7.1). */
import {
  finalizer,
  hasFinalizer,
  isDeleting,
  matches,
  secretFinalizer,
  uidTag,
} from '../objects.ts';
import type { JudgedObject } from '../objects.ts';
import type { InstanceLife } from '../past/claims.ts';
import type { Life, Lives } from '../past/lives.ts';
import { mayLeaveNode } from '../end/witness.ts';
import { judgeAuthority } from './authority-rules.ts';
import type { Case } from './case.ts';

/** Of the kind that is written; nothing when the finalizer stays or was not there. */
export function judgeFinalizer(judged: Case): void {
  const { before, after, target } = judged;
  const name = target.resource.kind === 'Secret' ? secretFinalizer : finalizer;
  if (!before || !hasFinalizer(before, name) || (after && hasFinalizer(after, name))) return;
  releases[target.resource.kind]?.(judged, before);
}

type Release = (judged: Case, object: JudgedObject) => void;

const releases: Readonly<Record<string, Release>> = {
  Machine: judgeMachine,
  MachineSet: (judged, { metadata }) =>
    judgeOwner(judged, judged.past.machines.ownedBy(metadata.uid)),
  MachineDeployment: (judged, { metadata }) =>
    judgeOwner(judged, judged.past.sets.ownedBy(metadata.uid)),
  MachineClass: judgeClass,
  Secret: judgeSecret,
};

/** Its instance and its Node went before. */
function judgeMachine(judged: Case, machine: JudgedObject): void {
  const { evidence, install, write } = judged;
  const { uid, name } = machine.metadata;
  const what = `released Machine ${name}`;
  const { process, sentAt } = write;
  judgeAuthority(evidence, install, { by: process.name, what, subject: uid, sentAt });
  if (!isDeleting(machine)) {
    const text = `${process.name} ${what}, which is not being deleted`;
    evidence.rulings.against('a Machine goes after its instance', uid, text);
  }
  const left = instancesOf(judged, machine).find((life) => !life.isKept.now);
  if (left) {
    const text = `${process.name} ${what}, whose instance ${left.record.id} lives`;
    evidence.rulings.against('a Machine goes after its instance', uid, text);
  }
  if (!mayLeaveNode(evidence, uid, process)) judgeNodeOf(judged, machine);
}

function instancesOf({ evidence: { instances } }: Case, machine: JudgedObject): InstanceLife[] {
  const { providerID } = machine.spec ?? {};
  const named = providerID === undefined ? [] : [...instances.withProviderId(providerID)];
  return [...instances.madeFor(machine.metadata.uid), ...named].filter(
    ({ record }) => record.tags[uidTag] !== undefined,
  );
}

function judgeNodeOf({ evidence, install, write, since }: Case, machine: JudgedObject): void {
  const { providerID } = machine.spec ?? {};
  const { uid, labels = {} } = machine.metadata;
  const node = evidence.targetOf(install).nodes.named('', labels['node'] ?? '');
  const isOfMachine = providerID !== undefined && node?.last.spec?.providerID === providerID;
  // One that registered a moment ago was not there when it was searched for.
  const stays = node?.hasBeenSince(since, (object) => !isDeleting(object));
  if (!isOfMachine || !stays) return;
  const text = `${write.process.name} released Machine ${machine.metadata.name}, whose Node ${labels['node']} is there`;
  evidence.rulings.against('a Machine goes after its Node', uid, text);
}

/**
 * Nothing that it owns is left. It is gone before what a user takes out of its selector during the
 * deletion: that is neither claimed nor let go (MCM 6.3, 6.9).
 */
function judgeOwner({ evidence, write, before, since }: Case, owned: Iterable<Life>): void {
  if (!before) return;
  const isClaimed = (object: JudgedObject): boolean => matches(object, before);
  const left = Array.from(owned).find((life) => life.hasBeenSince(since, isClaimed));
  if (isDeleting(before) && !left) return;
  const { kind, metadata } = before;
  const why = left ? `which has ${left.last.metadata.name}` : 'which is not being deleted';
  const text = `${write.process.name} released ${kind} ${metadata.name}, ${why}`;
  evidence.rulings.against('an owner goes after what it owns', metadata.uid, text);
}

/** No Machine is of it. */
function judgeClass(judged: Case, { metadata: { name } }: JudgedObject): void {
  judgeUse(judged, judged.past.machines, ({ spec }) => spec?.class?.name === name);
}

/** No class names it. */
function judgeSecret(judged: Case, { metadata: { name } }: JudgedObject): void {
  judgeUse(judged, judged.past.classes, ({ secretRef, credentialsSecretRef }) =>
    [secretRef?.name, credentialsSecretRef?.name].includes(name),
  );
}

function judgeUse(
  { evidence, install, write, target, since }: Case,
  users: Lives,
  isUser: (object: JudgedObject) => boolean,
): void {
  const user = users
    .present()
    .find(
      (life) =>
        life.last.metadata.namespace === install.namespace && life.hasBeenSince(since, isUser),
    );
  if (!user) return;
  const { kind, name } = { kind: target.resource.kind, name: target.name };
  const text = `${write.process.name} released ${kind} ${name}, which ${user.last.kind} ${user.last.metadata.name} needs`;
  evidence.rulings.against('what is in use is protected', `${kind} ${name}`, text);
}
