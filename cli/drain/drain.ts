import { volumesOf } from '../../activities/drain/volumes.ts';
import { forceReason } from '../../activities/drain/force-reason.ts';
import { podsToDrain, stayingPods } from '../../activities/drain/pods.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { node as nodePath } from '../../kube/client/paths.ts';
import type { Node } from '../../kube/objects/nodes.ts';
import type { VolumeAttachment } from '../../kube/objects/volume-attachments.ts';
import { volumeAttachments } from '../../kube/objects/volume-attachments.ts';
import { drainOptionsIn, isForceDeletion } from '../../workflows/api/drain-options.ts';
import { formatDuration, parseDuration } from '../../workflows/api/duration.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { DrainPod } from '../../workflows/plan/drain/removals.ts';
import {
  evictionSeconds,
  evictRetriesWithin,
  planRemovals,
  podKey,
} from '../../workflows/plan/drain/removals.ts';
import { attachedTo } from '../../workflows/plan/drain/volumes.ts';
import { nodeNameOf, readBudgets } from '../objects/node-pods.ts';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { readMachine } from '../objects/read-object.ts';
import type { TargetOptions } from '../connection/target.ts';
import { inTarget } from '../connection/target.ts';
import type { ClusterOptions, OutputOptions } from '../command-line/options.ts';
import type { Budget } from '../../workflows/plan/drain/budgets.ts';
import { budgetsOf, evaluateRefusal } from '../../workflows/plan/drain/budgets.ts';
import { chanceOf } from '../../workflows/plan/drain/wake-ups.ts';

export interface DrainOptions extends ClusterOptions, OutputOptions, TargetOptions {
  /** Name of the Machine. */
  name: string;
}

export async function drain(scope: ClusterScope, options: DrainOptions): Promise<Answer> {
  const machine = await readMachine(scope, options.name);
  const node = nodeNameOf(machine);
  return await inTarget(scope, options, async (target) => {
    const found = await ignoreNotFound(target.get<Node>(nodePath(node)));
    if (!found) {
      throw new Error(
        `there is no Node ${node} in this cluster: machine/${options.name} has none yet, or --target-kubeconfig is to name that of the Nodes`,
      );
    }
    const limits = limitsOf(machine);
    const observed = await observeNode(target, node);
    const pods = previewOf(observed, limits);
    const force = forcedBy(machine, found, limits);
    return answerOf({
      machine: options.name,
      node,
      pods,
      staying: observed.staying,
      limits,
      force,
    });
  });
}

async function observeNode(target: KubeClient, node: string): Promise<ObservedNode> {
  const pods = await podsToDrain(target, node);
  return {
    pods,
    staying: (await stayingPods(target, node)).length,
    budgets: await readBudgets(target, pods),
    volumes: await readVolumes(target, node, pods),
  };
}

/** A cluster without VolumeAttachments has nothing to wait for. */
async function readVolumes(target: KubeClient, node: string, pods: DrainPod[]) {
  const { items = [] } =
    (await ignoreNotFound(target.list<VolumeAttachment>(volumeAttachments))) ?? {};
  const attachments = items.map(({ spec, status }) => ({
    volume: spec.source.persistentVolumeName ?? '',
    nodeName: spec.nodeName,
    isAttached: status?.attached ?? false,
  }));
  const found = new Map<string, string[]>();
  for (const pod of pods) {
    if (pod.claims.length === 0) continue;
    const volumes = await volumesOf(target, pod, pods);
    found.set(pod.uid, attachedTo(node, volumes, attachments));
  }
  return found;
}

/** Defaults of the worker's flags, which a person cannot see from here. */
const defaults = {
  drainTimeoutSeconds: 7_200,
  maxEvictRetries: 360,
  pvDetachTimeoutSeconds: 120,
  pvReattachTimeoutSeconds: 90,
};

function limitsOf({ spec }: Machine): Limits {
  const own = spec.drainTimeout === undefined ? undefined : parseDuration(spec.drainTimeout);
  const drainTimeoutSeconds = own ?? defaults.drainTimeoutSeconds;
  const retries = spec.maxEvictRetries ?? defaults.maxEvictRetries;
  const maxEvictRetries = evictRetriesWithin(retries, drainTimeoutSeconds);
  return { ...defaults, drainTimeoutSeconds, maxEvictRetries };
}

/** Why pods would not be asked at all. */
function forcedBy({ metadata }: Machine, node: Node, limits: Limits): string | undefined {
  const now = Date.now();
  const { deletionTimestamp } = metadata;
  const begun = deletionTimestamp === undefined ? now : Date.parse(deletionTimestamp);
  const end = begun + limits.drainTimeoutSeconds * 1_000;
  const { isSkipped = false, until = end } = drainOptionsIn(metadata.annotations, Date.parse);
  if (isSkipped)
    return 'the annotation millwright.dev/skip-drain: pods stay on the Node, and go with the instance';
  if (isForceDeletion(metadata.labels)) return 'the label force-deletion';
  if (now >= until) return 'its time for the drain is over';
  return forceReason(node, now);
}

interface DrainReport {
  machine: string;
  node: string;
  pods: PodPreview[];
  staying: number;
  limits: Limits;
  force: string | undefined;
}

function answerOf(report: DrainReport): Answer {
  const { pods, limits, force } = report;
  const isRefused = pods.some(({ refusal }) => refusal !== undefined);
  const { force: _force, ...rest } = report;
  const data = {
    ...rest,
    limits: { ...limits, evictionSeconds: limits.maxEvictRetries * evictionSeconds },
    forcedBy: force ?? null,
  };
  return { text: textOf(report), data, exitCode: isRefused || force !== undefined ? 1 : 0 };
}

function textOf({ machine, node, pods, staying, limits, force }: DrainReport): string {
  const { drainTimeoutSeconds, maxEvictRetries } = limits;
  const together = pods.filter(({ turn }) => turn === 'together');
  const inTurn = pods.filter(({ turn }) => turn !== 'together');
  return [
    `machine/${machine}, Node ${node}: ${pods.length} ${pods.length === 1 ? 'pod has' : 'pods have'} to leave, ${staying} stay (of DaemonSets and of the kubelet)`,
    ...(force === undefined ? [] : [`by force, no budget is asked: ${force}`]),
    ...(together.length === 0 ? [] : ['all at once:', ...together.flatMap(podLines)]),
    ...(inTurn.length === 0
      ? []
      : [
          'then one after another, each after the volumes of the one before:',
          ...inTurn.flatMap(podLines),
        ]),
    `at most: a pod that is refused is deleted without asking after ${formatDuration(maxEvictRetries * evictionSeconds)}; all that is left after ${formatDuration(drainTimeoutSeconds)} is deleted by force`,
    'These are limits of the Machine, else defaults: flags of the worker may say otherwise.',
  ].join('\n');
}

function podLines({ pod, turn, refusal, volumes, volumeSeconds }: PodPreview): string[] {
  const place = turn === 'together' ? '-' : `${turn}.`;
  return [
    `  ${place} ${pod}`,
    ...(refusal ? [`      would be refused now: ${refusal.why}`] : []),
    ...(volumes.length === 0
      ? []
      : [
          `      waits for ${volumes.join(', ')} to move, at most ${formatDuration(volumeSeconds)}`,
        ]),
  ];
}

interface ObservedNode {
  /** Those that have to leave. */
  pods: DrainPod[];
  /** How many stay: of DaemonSets, and those of the kubelet. */
  staying: number;
  budgets: readonly Budget[];
  /** Names of attached PersistentVolumes that are waited for, by the pod's UID. */
  volumes: ReadonlyMap<string, readonly string[]>;
}

interface Limits {
  drainTimeoutSeconds: number;
  maxEvictRetries: number;
  pvDetachTimeoutSeconds: number;
  pvReattachTimeoutSeconds: number;
}

interface PodPreview {
  pod: string;
  /** `together`: with all others that have no volumes. Else its turn, from 1. */
  turn: 'together' | number;
  /** Budgets that take it. */
  budgets: string[];
  /** Why its eviction would be refused now; absent when it would not. */
  refusal?: { blockedBy: string; why: string };
  volumes: readonly string[];
  /** How long its volumes are waited for at most. */
  volumeSeconds: number;
}

/** In the order in which the pods are asked. */
function previewOf(observed: ObservedNode, limits: Limits): PodPreview[] {
  const { parallel, serial } = planRemovals({
    pods: observed.pods,
    refusals: {},
    isVolumeAwaited: false,
    patienceMilliseconds: 0,
    evictionMilliseconds: limits.maxEvictRetries * evictionSeconds * 1_000,
    now: 0,
  });
  return [
    ...parallel.map(({ pod }) => podPreview(pod, 'together', observed)),
    ...serial.map(({ pod }, index) => podPreview(pod, index + 1, observed)),
  ].map((one) => ({ ...one, volumeSeconds: waitFor(one, limits, observed.pods) }));
}

function podPreview(
  pod: DrainPod,
  turn: PodPreview['turn'],
  { budgets, volumes }: ObservedNode,
): Omit<PodPreview, 'volumeSeconds'> {
  const own = budgetsOf(pod, budgets);
  const names = own.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  const refusal = refusalOf(pod, own);
  return {
    pod: podKey(pod),
    turn,
    budgets: names,
    ...(refusal && { refusal }),
    volumes: volumes.get(pod.uid) ?? [],
  };
}

/** As the API server would answer now; each eviction may change that for the next one. */
function refusalOf(pod: DrainPod, own: Budget[]): PodPreview['refusal'] {
  if (pod.isUnguarded) return undefined;
  const watched = own.map((budget) => ({
    ...budget,
    name: budget.metadata.name,
    resourceVersion: '',
  }));
  if (chanceOf(pod, watched)) return undefined;
  const { why, blockedBy } = evaluateRefusal(pod, own, 'it allows no disruption now');
  return { why, blockedBy };
}

function waitFor(
  { pod, volumes }: Pick<PodPreview, 'pod' | 'volumes'>,
  { pvDetachTimeoutSeconds, pvReattachTimeoutSeconds }: Limits,
  pods: readonly DrainPod[],
): number {
  if (volumes.length === 0) return 0;
  const graceSeconds = pods.find((one) => podKey(one) === pod)?.graceSeconds ?? 0;
  return graceSeconds + pvDetachTimeoutSeconds + pvReattachTimeoutSeconds;
}
