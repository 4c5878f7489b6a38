/** A rollout: all machines of the pool are replaced by ones of a second class. */
import type { KubeClient } from '../../kube/client/client.ts';
import { customResource } from '../../kube/client/paths.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import { StateRecorder } from '../e2e/support/bounds.ts';
import { isComplete } from '../e2e/support/completion.ts';
import { LiveList } from '../e2e/support/live-list.ts';
import {
  measure,
  measureUp,
  untilQuiet,
  type Bench,
  type Part,
  type Parts,
  type Run,
} from './measure.ts';
import { namespace, poolName, secondClass } from './pool.ts';

const path = customResource('machinedeployments', namespace, poolName);

/** Scales the pool up first. `limitSeconds`: the rollout fails after so long. */
export async function* measureRoll(bench: Bench, machines: number, limitSeconds: number): Parts {
  yield await measureUp(bench, machines);
  await untilQuiet(bench);
  yield await measureRollOnly(bench, machines, limitSeconds);
}

/** Needs a pool with all its machines Running. */
export async function measureRollOnly(
  bench: Bench,
  machines: number,
  limitSeconds: number,
): Promise<Part> {
  const template = { spec: { class: { kind: 'MachineClass', name: secondClass } } };
  return await measureTemplate(bench, { name: 'roll', machines, limitSeconds, template });
}

export interface Change {
  name: string;
  machines: number;
  limitSeconds: number;
  /** Merged into that of the pool. */
  template: object;
}

/** Until the rollout to another template is complete. */
export async function measureTemplate(bench: Bench, change: Change): Promise<Part> {
  const { name, machines } = change;
  return await measure(bench, { name, machines }, async () => {
    await using recorder = new StateRecorder(bench.kube, namespace);
    await recorder.started();
    const from = recorder.mark();
    const run = await roll(bench.kube, change, () => recorder.summary());
    return { ...run, bounds: recorder.extremes(from) };
  });
}

async function roll(
  kube: KubeClient,
  { limitSeconds, template }: Change,
  whereItIs: () => string,
): Promise<Run> {
  const start = performance.now();
  await kube.patch(path, 'merge', { spec: { template } });
  if (!(await isCompleteWithin(kube, limitSeconds))) {
    throw new Error(
      `The rollout was not complete after ${limitSeconds} s (--limit). ${whereItIs()}`,
    );
  }
  return { milliseconds: performance.now() - start, waits: [] };
}

async function isCompleteWithin(kube: KubeClient, limitSeconds: number): Promise<boolean> {
  let report: (isInTime: boolean) => void;
  const completed = new Promise<boolean>((resolve) => {
    report = resolve;
  });
  const timer = setTimeout(() => report(false), limitSeconds * 1_000);
  const deployments = new LiveList<MachineDeployment, boolean>({
    kube,
    path: customResource('machinedeployments', namespace),
    // Of the present generation, which is that of the change or a later one.
    project: isComplete,
    onChange: () => deployments.items.get(poolName) === true && report(true),
  });
  const isInTime = await completed;
  clearTimeout(timer);
  await deployments.stop();
  return isInTime;
}
