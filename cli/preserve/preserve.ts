import type { KubeClient } from '../../kube/client/client.ts';
import { isConflict, isNotFound } from '../../kube/client/errors.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { retryOnConflict } from '../../kube/client/retry-on-conflict.ts';
import { customResource, node as nodePath } from '../../kube/client/paths.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import { annotations, labels } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { untilAnswered } from '../connection/until-answered.ts';
import { onceAgreed } from '../command-line/consent.ts';
import { millwrightFor } from '../command-line/millwright-line.ts';
import { TolerantReads } from '../install/tolerant.ts';
import type { ObjectReference } from '../command-line/object-reference.ts';
import { formatReference } from '../command-line/object-reference.ts';
import { readMachine, readNode } from '../objects/read-object.ts';
import type { Right } from '../objects/rights.ts';
import { requireRight, rightOnMachines } from '../objects/rights.ts';
import type { SeenObject } from '../objects/seen-object.ts';
import { patchSeen } from '../objects/seen-object.ts';
import { inTarget } from '../connection/target.ts';
import type { ClusterOptions, OutputOptions } from '../command-line/options.ts';
import type { ConsentOptions } from '../command-line/consent.ts';
import type { TargetOptions } from '../connection/target.ts';
import type { Preservation } from './preview.ts';
import { previewOf, overrideOf } from './preview.ts';

export interface PreserveOptions
  extends ClusterOptions, OutputOptions, ConsentOptions, TargetOptions, Preservation {}

export async function preserve(scope: ClusterScope, options: PreserveOptions): Promise<Answer> {
  return await (options.object.kind === 'node'
    ? inTarget(scope, options, (target) => preserveNode(scope, target, options))
    : preserveMachine(scope, options));
}

async function preserveNode(
  scope: ClusterScope,
  target: KubeClient,
  options: PreserveOptions,
): Promise<Answer> {
  const { name } = options.object;
  const { uid } = (await readNode(target, name)).metadata;
  const right: Right = { verb: 'patch', group: '', resource: 'nodes', namespace: '' };
  await requireRight(target, right);
  const preview = previewOf(options, await machineOn(scope, name));
  return await onceAgreed(options, preview, async () => {
    await annotate({ kube: target, path: nodePath(name), uid }, options);
    const data = { ...preview.data, isDone: true };
    return { text: `${preview.text}\nnode/${name} annotated`, data };
  });
}

/** Less is said without the right to know it, or in a cluster that has Nodes alone. */
async function machineOn(
  { kube, namespace }: ClusterScope,
  node: string,
): Promise<Machine | undefined> {
  const path = customResource('machines', namespace);
  const list = kube.list<Machine>(path, { labelSelector: `${labels.node}=${node}` });
  return (await new TolerantReads().read('Machines', list))?.items[0];
}

async function preserveMachine(scope: ClusterScope, options: PreserveOptions): Promise<Answer> {
  const { kube, namespace } = scope;
  const { name } = options.object;
  const machine = await readMachine(scope, name);
  refuseUseless(machine);
  const { uid } = machine.metadata;
  const seen = { kube, path: customResource('machines', namespace, name), uid };
  await requireRight(kube, rightOnMachines('patch', 'machines', namespace));
  if (options.until !== undefined) {
    await requireRight(kube, rightOnMachines('patch', 'machines/status', namespace));
  }
  const preview = previewOf(options, machine);
  return await onceAgreed(options, preview, async () => {
    await annotate(seen, options);
    const data = { ...preview.data, isDone: true };
    if (options.until === undefined) {
      return { text: `${preview.text}\nmachine/${name} annotated`, data };
    }
    const preserveExpiryTime = new Date(options.until).toISOString().replace(/\.\d+Z$/, 'Z');
    if (!(await keepOrExplain(seen, options, preserveExpiryTime))) {
      const text = `${preview.text}\nmachine/${name} is annotated, but no worker preserves it yet, so its end is not set. See: ${millwrightFor('doctor', namespace)}`;
      return { text, data: { ...data, isDone: false }, exitCode: 1 };
    }
    return {
      text: `${preview.text}\nmachine/${name} is preserved until ${preserveExpiryTime}`,
      data,
    };
  });
}

function refuseUseless(machine: Machine): void {
  const { name, namespace, deletionTimestamp } = machine.metadata;
  if (deletionTimestamp !== undefined) {
    throw new Error(`machine/${name} is being deleted: it cannot be preserved any more`);
  }
  const override = overrideOf(machine);
  if (override === undefined) return;
  const node = machine.metadata.labels?.[labels.node] ?? name;
  throw new Error(
    `the Node of machine/${name} says "${override}", which overrides the Machine: ${millwrightFor(`preserve node/${node}`, namespace)}`,
  );
}

async function annotate(seen: SeenObject, { object, value }: PreserveOptions): Promise<void> {
  await patchSeen(seen, object, { metadata: { annotations: { [annotations.preserve]: value } } });
}

/** A watcher and a worker need a second or two. */
const keptWithinMs = 20_000;

/** False: no worker preserves it. Throws with what was done before it failed. */
async function keepOrExplain(
  seen: SeenObject,
  options: PreserveOptions,
  preserveExpiryTime: string,
): Promise<boolean> {
  try {
    return await keepUntil(seen, options, preserveExpiryTime);
  } catch (error) {
    const message = `${formatReference(options.object)} is annotated, and its end is not set`;
    throw new Error(`${message}: ${reasonOf(error)}`, { cause: error });
  }
}

/** False: no worker preserves it. */
async function keepUntil(
  seen: SeenObject,
  { object }: PreserveOptions,
  preserveExpiryTime: string,
): Promise<boolean> {
  const { kube, path, uid } = seen;
  const status = { currentStatus: { preserveExpiryTime } };
  const keep = async (): Promise<boolean> => {
    const kept = await untilKept(seen, object);
    if (!kept) return false;
    // kube-apiserver ignores the UID in a patch of `/status`.
    const { resourceVersion } = kept.metadata;
    await kube.patch(`${path}/status`, 'merge', { metadata: { uid, resourceVersion }, status });
    return true;
  };
  // A worker writes the status of a machine that it drains again and again.
  return await retryOnConflict(keep, {
    isAnew: (error) => isNotFound(error) || isConflict(error),
    tries: 10,
  });
}

/** Undefined: no worker preserves it. */
async function untilKept(
  { kube, path, uid }: SeenObject,
  object: ObjectReference,
): Promise<Machine | undefined> {
  return await untilAnswered(
    async () => {
      const found = await ignoreNotFound(kube.get<Machine>(path));
      if (found?.metadata.uid !== uid) {
        throw new Error(`${formatReference(object)} was annotated, and is gone since`);
      }
      return found.status?.currentStatus?.preserveExpiryTime ? found : undefined;
    },
    { withinMs: keptWithinMs },
  );
}
