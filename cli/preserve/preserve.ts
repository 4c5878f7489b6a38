import { setTimeout } from 'node:timers/promises';
import type { KubeClient } from '../../activities/kube/client/client.ts';
import { isNotFound } from '../../activities/kube/client/errors.ts';
import { ignoreNotFound } from '../../activities/kube/client/ignore.ts';
import { customResource, node as nodePath } from '../../activities/kube/client/paths.ts';
import { annotations, labels } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { Answer } from '../answer.ts';
import type { Place } from '../connect.ts';
import { onceAgreed } from '../consent.ts';
import { millwrightFor } from '../diagnosis/millwright-line.ts';
import { readMachine } from '../read-object.ts';
import type { Right } from '../rights.ts';
import { requireRight, rightOnMachines } from '../rights.ts';
import { inTarget } from '../target.ts';
import type { PreserveQuestion } from './command.ts';
import { outlookOf, overrideOf } from './outlook.ts';

export async function preserve(place: Place, asked: PreserveQuestion): Promise<Answer> {
  return await (asked.object.kind === 'node'
    ? inTarget(place, asked, (target) => preserveNode(place, target, asked))
    : preserveMachine(place, asked));
}

async function preserveNode(
  place: Place,
  target: KubeClient,
  asked: PreserveQuestion,
): Promise<Answer> {
  const { name } = asked.object;
  try {
    await target.get(nodePath(name));
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new Error(
      `there is no Node ${name} in this cluster; name that of the Nodes with --target-kubeconfig`,
      { cause: error },
    );
  }
  const right: Right = { verb: 'patch', group: '', resource: 'nodes', namespace: '' };
  await requireRight(target, right);
  const outlook = outlookOf(asked, await machineOn(place, name));
  return await onceAgreed(asked, outlook, async () => {
    await annotate(target, nodePath(name), asked.value);
    return { text: `${outlook.text}\nnode/${name} annotated`, data: doneData(outlook.data) };
  });
}

async function machineOn({ kube, namespace }: Place, node: string): Promise<Machine | undefined> {
  const path = customResource('machines', namespace);
  const { items } = await kube.list<Machine>(path, { labelSelector: `${labels.node}=${node}` });
  return items[0];
}

async function preserveMachine(place: Place, asked: PreserveQuestion): Promise<Answer> {
  const { kube, namespace } = place;
  const { name } = asked.object;
  const machine = await readMachine(place, name);
  refuseUseless(machine);
  const path = customResource('machines', namespace, name);
  await requireRight(kube, rightOnMachines('patch', 'machines', namespace));
  if (asked.until !== undefined) {
    await requireRight(kube, rightOnMachines('patch', 'machines/status', namespace));
  }
  const outlook = outlookOf(asked, machine);
  return await onceAgreed(asked, outlook, async () => {
    await annotate(kube, path, asked.value);
    const data = doneData(outlook.data);
    if (asked.until === undefined)
      return { text: `${outlook.text}\nmachine/${name} annotated`, data };
    const isKept = await untilKept(kube, path);
    if (!isKept) {
      const text = `${outlook.text}\nmachine/${name} is annotated, but no worker preserves it yet, so its end is not set. See: ${millwrightFor('doctor', namespace)}`;
      return { text, data, exitCode: 1 };
    }
    const preserveExpiryTime = new Date(asked.until).toISOString().replace(/\.\d+Z$/, 'Z');
    const status = { currentStatus: { preserveExpiryTime } };
    await kube.patch(`${path}/status`, 'merge', { status });
    return {
      text: `${outlook.text}\nmachine/${name} is preserved until ${preserveExpiryTime}`,
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

async function annotate(kube: KubeClient, path: string, value: string): Promise<void> {
  await kube.patch(path, 'merge', { metadata: { annotations: { [annotations.preserve]: value } } });
}

function doneData(data: object): object {
  return { ...data, isDone: true };
}

/** A watcher and a worker need a second or two. */
const keptWithinMs = 20_000;
const periodMs = 250;

async function untilKept(kube: KubeClient, path: string): Promise<boolean> {
  const deadline = performance.now() + keptWithinMs;
  for (;;) {
    const found = await ignoreNotFound(kube.get<Machine>(path));
    if (found?.status?.currentStatus?.preserveExpiryTime) return true;
    if (!found || performance.now() > deadline) return false;
    await setTimeout(periodMs);
  }
}
