/** Which instances may be made and deleted (reference: MCM 4.3, 4.7, 8.2; docs/safety.md). */
import type { Install } from '../../world/world.ts';
import type { Evidence } from '../evidence.ts';
import type { CloudHappening } from '../judged-cloud.ts';
import { isDeleting, uidTag } from '../objects.ts';
import type { JudgedObject } from '../objects.ts';
import { installOfRecord } from '../past/instance-past.ts';
import { judgeAuthority } from './authority-rules.ts';
import { wasDrained } from './drain-rules.ts';
import { judgeHeldInstance } from './hook-rules.ts';
import { judgeOrphan } from './orphan-rules.ts';

export function judgeInstances(evidence: Evidence): void {
  for (const record of evidence.cloud.living) evidence.instances.created(record);
  evidence.cloud.listen((happening) => {
    evidence.catchUp();
    const { kind, record } = happening;
    if (kind === 'created') {
      judgeToken(evidence, happening);
      evidence.instances.created(record);
      judgeCreated(evidence, happening);
    } else {
      judgeDeleted(evidence, happening);
      evidence.instances.deleted(record);
    }
  });
}

function judgeToken({ instances, rulings }: Evidence, { record, by }: CloudHappening): void {
  const known = instances.withToken(record.token)?.record;
  if (!known) return;
  const text = `${by} made ${record.id} with the token of ${known.id}, ${record.token}`;
  rulings.against('one instance for a token', record.token, text);
}

function judgeCreated(evidence: Evidence, happening: CloudHappening): void {
  const { rulings, instances } = evidence;
  const { record, by, sentAt } = happening;
  const install = evidence.installOf(by);
  if (!install) return;
  if (!isOfInstall(evidence, install, happening)) return;
  judgeAuthority(evidence, install, {
    by,
    sentAt,
    what: `created ${record.id}`,
    subject: record.id,
  });
  const uid = record.tags[uidTag] ?? '';
  for (const other of instances.madeFor(uid)) {
    if (other.record === record) continue;
    const text = `${by} made ${record.id} for ${record.name}, which has ${other.record.id}`;
    rulings.against('one living instance for a Machine', uid, text);
  }
  const life = evidence.controlOf(install).machines.of(uid);
  const since = evidence.since(install, sentAt);
  const isWanted =
    record.token.startsWith(uid) && life?.wasSince(since, (machine) => !isDeleting(machine));
  if (isWanted) return;
  const text = `${by} made ${record.id} for ${record.name} (${uid}), which did not want one`;
  rulings.against('an instance is made for a Machine', record.id, text);
}

/**
 * A Machine that is not being deleted keeps its instance. An instance goes with the Machine that it
 * belongs to by UID, name or providerID, once that had a deletionTimestamp and our finalizer; or it
 * has been without a Machine for so long that two searches for orphans saw it.
 */
function judgeDeleted(evidence: Evidence, happening: CloudHappening): void {
  const { record, by, sentAt } = happening;
  const install = evidence.installOf(by);
  if (!install || !isOfInstall(evidence, install, happening)) return;
  judgeAuthority(evidence, install, {
    by,
    sentAt,
    what: `deleted ${record.id}`,
    subject: record.id,
  });
  const life = evidence.instances.of(record);
  const since = evidence.since(install, sentAt);
  if (life.isKept.since(since).every(Boolean)) {
    const text = `${by} deleted ${record.id}, the instance of Machine ${record.name}, which is not being deleted`;
    evidence.rulings.against('a living Machine keeps its instance', record.id, text);
  } else if (!life.wasCondemned) judgeOrphan(evidence, install, happening);
  else judgeDrain(evidence, install, happening);
  judgeHeldInstance(evidence, install, happening);
}

/** By a mistake of a user; the Node that it names is not the one of its instance. */
function namesAnother({ metadata }: JudgedObject, node: JudgedObject): boolean {
  const { node: name = node.metadata.name } = metadata.labels ?? {};
  return name !== node.metadata.name;
}

/** Of an instance that goes with its Machine. */
function judgeDrain(evidence: Evidence, install: Install, { record, by, sentAt }: CloudHappening) {
  const since = evidence.since(install, sentAt);
  const { isTargetAway } = evidence.authorityOf(install);
  const [machine, other] = evidence.controlOf(install).naming(record.providerID);
  const nodes = evidence.targetOf(install).nodes.present();
  const node = nodes.find(({ last }) => last.spec?.providerID === record.providerID);
  if (!machine || other || !node || isTargetAway.since(since).includes(true)) return;
  if (!isDeleting(machine.last) || namesAnother(machine.last, node.last)) return;
  if (wasDrained({ evidence, install, since }, node, machine)) return;
  const text = `${by} deleted ${record.id} of Machine ${machine.last.metadata.name}, whose Node ${node.last.metadata.name} was never drained`;
  evidence.rulings.against('an instance goes after its drain', record.id, text);
}

function isOfInstall(
  evidence: Evidence,
  install: Install,
  { kind, record, by }: CloudHappening,
): boolean {
  if (installOfRecord(evidence.world, record) === install) return true;
  const text = `${by} ${kind} ${record.id} of ${record.name}, which is not of its install`;
  evidence.rulings.against('nothing of another install is touched', record.id, text);
  return false;
}
