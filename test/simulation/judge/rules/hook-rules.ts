/** For whom a deletion waits, and no longer: MCM#1158, the Cluster API, docs/drain.md. */
import type { Install } from '../../world/world.ts';
import type { Evidence } from '../evidence.ts';
import type { CloudHappening } from '../judged-cloud.ts';
import { isDeleting, uidTag } from '../objects.ts';
import type { JudgedObject } from '../objects.ts';
import type { Life } from '../past/lives.ts';
import { textOf } from './case.ts';
import type { Case } from './case.ts';

const beforeInstance =
  /^(suspend-instance-deletion\.node\.machine\.sapcloud\.io|pre-terminate\.delete\.hook\.machine\.cluster\.x-k8s\.io)\//;
const beforeDrain = /^pre-drain\.delete\.hook\.machine\.cluster\.x-k8s\.io\//;

function has(pattern: RegExp, { metadata: { annotations = {} } }: JudgedObject): boolean {
  return Object.keys(annotations).some((key) => pattern.test(key));
}

export const isHookedBeforeInstance = (machine: JudgedObject): boolean =>
  has(beforeInstance, machine);
export const isHookedBeforeDrain = (machine: JudgedObject): boolean => has(beforeDrain, machine);

/** One that came after the last read of the Machine comes too late. */
export function judgeHeldInstance(
  evidence: Evidence,
  install: Install,
  { record, by, sentAt }: CloudHappening,
): void {
  const life = evidence.controlOf(install).machines.of(record.tags[uidTag] ?? '');
  const since = evidence.since(install, sentAt);
  if (!life?.hasBeenSince(since, isHookedBeforeInstance)) return;
  const text = `${by} deleted ${record.id} of Machine ${record.name}, which a hook holds`;
  evidence.rulings.against('a hook holds its instance', record.id, text);
}

/** One that stood before the deletion began: no drain has begun since. */
export function judgeHeldDrain(judged: Case, machines: readonly Life[]): void {
  const [machine, other] = machines;
  if (!machine || other) return;
  const deletedAt = Date.parse(machine.last.metadata.deletionTimestamp ?? '');
  const isGoing = machine.hasBeenSince(judged.since, isDeleting);
  if (!isGoing || !machine.hasBeenSince(Math.min(deletedAt, judged.since), isHookedBeforeDrain)) {
    return;
  }
  const text = `${textOf(judged, 'drained')} of Machine ${machine.last.metadata.name}, whose drain a hook holds`;
  judged.evidence.rulings.against('a hook holds its drain', machine.uid, text);
}

/** When the last of them went, milliseconds; `from`, where there was none since then. */
export function heldUntil({ states }: Life, from: number, now: number): number {
  const moments = states.momentsSince(from);
  const last = moments.findLastIndex((at) => {
    const machine = states.at(at);
    return machine && (isHookedBeforeInstance(machine) || isHookedBeforeDrain(machine));
  });
  return last < 0 ? from : (moments[last + 1] ?? now);
}
