/**
 * The Node of a machine that is kept for inspection: marked, so that no new pods come and nothing
 * takes it away.
 */
import { annotations, taints } from '../../../workflows/api/constants.ts';
import type { Taint } from '../../../workflows/api/machine.ts';
import type { NodeCondition } from '../../../workflows/api/meta.ts';
import type { TextChanges } from '../../../workflows/plan/machine/node-template.ts';
import type { Preserve } from '../../../workflows/api/preserve-value.ts';
import { preserveOf } from '../../../workflows/api/preserve-value.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { isContentRefused, isOutdated } from '../../../kube/objects/json-patch.ts';
import { ignoreNotFound } from '../../../kube/client/ignore.ts';
import { retryOnConflict } from '../../../kube/client/retry-on-conflict.ts';
import { node as nodePath } from '../../../kube/client/paths.ts';
import { patchNode } from '../node/patch.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import { readNode } from '../../../kube/objects/nodes.ts';
import { timestamp } from '../../../kube/objects/time.ts';

export interface Keeping {
  value: Preserve;
  /** Milliseconds. */
  until: number;
  /** The machine is Failed. */
  isToBeDrained: boolean;
  /** How its drain ended; absent while there was none. */
  drain?: { error?: string };
}

/** Writes only what is not there. The user's own annotation for the cluster autoscaler stays. */
export async function keepNode(target: KubeClient, node: Node, keeping: Keeping): Promise<void> {
  const { isToBeDrained: isTainted } = keeping;
  await change(target, node, {
    annotationsOf: protectionFor,
    taintsOf: (present) => withTaint(present, isTainted),
  });
  await report(target, node, conditionOf(keeping));
}

const type = 'Preserved';

export async function letNodeGo(
  target: KubeClient,
  node: Node,
  { forgets }: { forgets: boolean },
): Promise<void> {
  const isKnown = node.status?.conditions?.some((one) => one.type === type);
  if (isKnown) await report(target, node, { status: 'False', reason: 'Preservation stopped.' });
  await change(target, node, {
    annotationsOf: (present) => removalsFrom(present, forgets),
    taintsOf: (present) => withTaint(present, false),
  });
}

interface Rewriting {
  annotationsOf(present: Record<string, string>): TextChanges;
  /** Undefined: they stay as they are. */
  taintsOf(present: Taint[]): Taint[] | undefined;
}

const isOvertaken = (error: unknown) => isOutdated(error) && !isContentRefused(error);

async function change(target: KubeClient, seen: Node, rewriting: Rewriting): Promise<void> {
  const { name, uid } = seen.metadata;
  const rewrite = async (isAgain: boolean): Promise<void> => {
    const node = isAgain ? await readNode(target, name) : seen;
    if (node?.metadata.uid !== uid) return;
    const patch = patchOf(node, rewriting);
    if (patch) await patchNode(target, node, patch);
  };
  await retryOnConflict(rewrite, { isAnew: isOvertaken });
}

/** Undefined when the Node is as it should be, or goes. */
function patchOf({ metadata, spec }: Node, { annotationsOf, taintsOf }: Rewriting) {
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const rewritten = taintsOf(spec?.taints ?? []);
  const notes = annotationsOf(metadata.annotations ?? {});
  if (!rewritten && Object.keys(notes).length === 0) return undefined;
  return { labels: {}, annotations: notes, ...(rewritten && { taints: rewritten }) };
}

function protectionFor(present: Record<string, string>): TextChanges {
  if (annotations.scaleDownDisabled in present) return {};
  return { [annotations.scaleDownDisabled]: 'true', [annotations.scaleDownDisabledByUs]: 'true' };
}

function removalsFrom(present: Record<string, string>, forgets: boolean): TextChanges {
  const isOurs = annotations.scaleDownDisabledByUs in present;
  const protection = [annotations.scaleDownDisabled, annotations.scaleDownDisabledByUs];
  const isWish = preserveOf(present[annotations.preserve]) !== undefined;
  const keys = [
    ...(isOurs ? protection.filter((key) => key in present) : []),
    ...(forgets && isWish ? [annotations.preserve] : []),
  ];
  return Object.fromEntries(keys.map((key) => [key, null]));
}

function withTaint(present: Taint[], isWanted: boolean): Taint[] | undefined {
  const others = present.filter(({ key }) => key !== taints.preserved);
  const isThere = others.length < present.length;
  if (isThere === isWanted) return undefined;
  const taint = { key: taints.preserved, effect: 'NoSchedule', timeAdded: timestamp() };
  return isWanted ? [...others, taint] : others;
}

/** As in MCM v0.62.1, which goes by these words: nothing else says it where a workflow was lost. */
const drainedWords = 'Preserved node drained successfully.';

/** Its drain ended well, in an earlier run or by MCM, and the machine was not well since. */
export function wasDrained({ status }: Node): boolean {
  const known = status?.conditions?.find((one) => one.type === type);
  return known?.status === 'True' && (known.message ?? '').includes(drainedWords);
}

type PreservedCondition = Pick<NodeCondition, 'status' | 'reason' | 'message'>;

/** Texts of MCM v0.62.1, with the reason why a drain failed. */
function conditionOf({ value, until, isToBeDrained, drain }: Keeping): PreservedCondition {
  const reason = value === 'auto-preserved' ? 'Preserved by MCM.' : 'Preserved by user.';
  const end = `Machine preserved until ${timestamp(until)}.`;
  if (!isToBeDrained || !drain) return { status: 'True', reason, message: end };
  const { error } = drain;
  const words =
    error === undefined ? drainedWords : `Preserved node could not be drained. ${error}.`;
  return { status: error === undefined ? 'True' : 'False', reason, message: `${words} ${end}` };
}

async function report(target: KubeClient, node: Node, verdict: PreservedCondition): Promise<void> {
  const known = node.status?.conditions?.find((one) => one.type === type);
  if (known && isSame(known, verdict)) return;
  const now = timestamp();
  const lastTransitionTime = known?.status === verdict.status ? known.lastTransitionTime : now;
  const condition = { type, message: '', ...verdict, lastHeartbeatTime: now, lastTransitionTime };
  const { name, uid } = node.metadata;
  const patch = { metadata: { uid }, status: { conditions: [condition] } };
  await ignoreNotFound(target.patch(`${nodePath(name)}/status`, 'strategic', patch));
}

function isSame(a: PreservedCondition, b: PreservedCondition): boolean {
  return a.status === b.status && a.reason === b.reason && (a.message ?? '') === (b.message ?? '');
}
