/**
 * Drains that one PodDisruptionBudget blocks: what they cost while they wait, how soon they go on
 * when the budget allows one eviction after another, and what each of these costs. First one pod on
 * each of N machines, then N pods on one machine, then a few machines that two budgets block, of
 * which the one that is not named in `BlockedBy` lets its pods go.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { customResource, namespaced } from '../../kube/client/paths.ts';
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { Stack } from '../../deploy/local/stack.ts';
import { LiveList } from '../e2e/support/live-list.ts';
import { measure, untilQuiet, type Bench, type Part, type Parts } from './measure.ts';
import { namespace, scaleAndWatch } from './pool.ts';

const app = 'drains';
const budgets = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
/** Evictions that the budget allows one by one; the rest go together. */
const stepsMax = 20;
const restSeconds = 30;
/** Between two evictions: long enough for the search attributes of the first to be there. */
const stepPauseMs = 1_000;
const limitMs = 180_000;

export async function* measureDrains(bench: Bench, pods: number): Parts {
  yield* measureSituation(bench, { name: 'machines', machines: pods, podsPerMachine: 1 });
  yield* measureSituation(bench, { name: 'pods', machines: 1, podsPerMachine: pods });
  yield await measureSecondBudget(bench);
}

interface Situation {
  name: string;
  machines: number;
  podsPerMachine: number;
}

async function* measureSituation(bench: Bench, situation: Situation): Parts {
  const { kube, stack } = bench;
  const { name, machines, podsPerMachine } = situation;
  const total = machines * podsPerMachine;
  await scaleAndWatch(kube, machines);
  await startPods(kube, podsPerMachine);
  await using pods = new LivePods(kube);
  await pods.until(`${total} pods run`, (states) => readyOf(states) === total);
  await createBudget(kube, total);
  await untilCounted(kube, total);
  const gone = scaleAndWatch(kube, 0);
  await untilBlocked(stack, machines);
  await untilQuiet(bench);
  const part = (what: string, count: number) => ({ name: `${name}: ${what}`, machines: count });
  yield await measure(bench, part(`${restSeconds} s blocked`, machines), async () => {
    await sleep(restSeconds * 1_000);
    return { milliseconds: restSeconds * 1_000, waits: [] };
  });
  const steps = Math.min(stepsMax, total - 1);
  yield await measure(bench, part('freed one by one', steps), async () => {
    const begunAt = performance.now();
    const waits: number[] = [];
    for (let step = 1; step <= steps; step += 1) {
      const freedAt = performance.now();
      await allow(kube, total - step);
      await pods.untilAtMost(total - step);
      waits.push((performance.now() - freedAt) / 1_000);
      await sleep(stepPauseMs);
    }
    return { milliseconds: performance.now() - begunAt, waits };
  });
  yield await measureRest(bench, { kube, pods, gone }, part('the rest at once', total - steps));
  await deleteBudget(kube);
  await untilQuiet(bench);
}

/** Each time a machine with a pod of either app, blocked by a budget for each. */
async function measureSecondBudget(bench: Bench): Promise<Part> {
  const { kube, stack } = bench;
  const machines = 5;
  const apps = ['drains-a', 'drains-b'];
  await scaleAndWatch(kube, machines);
  for (const name of apps) await startPods(kube, 1, { name });
  await using pods = new LivePods(kube);
  const total = machines * apps.length;
  await pods.until(`${total} pods run`, (states) => readyOf(states) === total);
  for (const name of apps) {
    await createBudget(kube, machines, name);
    await untilCounted(kube, machines, name);
  }
  const gone = scaleAndWatch(kube, 0);
  await untilBlocked(stack, machines);
  await untilQuiet(bench);
  const part = { name: 'two budgets: the one that is not named frees all', machines };
  const measured = await measure(bench, part, async () => {
    const [named, count] = await mostNamed(stack, apps);
    const freedAt = performance.now();
    // The pods of machines that name the other budget go as well: only the last ones tell.
    for (const name of apps) if (name !== named) await allow(kube, 0, name);
    const waits: number[] = [];
    for (let left = total - 1; left >= total - machines; left -= 1) {
      await pods.untilAtMost(left);
      waits.push((performance.now() - freedAt) / 1_000);
    }
    return { milliseconds: performance.now() - freedAt, waits: waits.slice(-count) };
  });
  for (const name of apps) await deleteBudget(kube, name);
  await gone;
  return measured;
}

/** The budget that most drains name as the one that blocks them, and how many do. */
async function mostNamed(stack: Stack, names: string[]): Promise<[string, number]> {
  const counted = await Promise.all(
    names.map(async (name): Promise<[string, number]> => {
      const query = `${blocked} AND BlockedBy="PodDisruptionBudget/${namespace}/${name}"`;
      return [name, await countOf(stack, query)];
    }),
  );
  return counted.toSorted(([, a], [, b]) => b - a)[0] ?? ['', 0];
}

async function measureRest(
  bench: Bench,
  { kube, pods, gone }: { kube: KubeClient; pods: LivePods; gone: Promise<unknown> },
  part: { name: string; machines: number },
): Promise<Part> {
  return await measure(bench, part, async () => {
    const freedAt = performance.now();
    await allow(kube, 0);
    const waits: number[] = [];
    for (let left = part.machines - 1; left >= 0; left -= 1) {
      await pods.untilAtMost(left);
      waits.push((performance.now() - freedAt) / 1_000);
    }
    await gone;
    return { milliseconds: performance.now() - freedAt, waits };
  });
}

export async function createBudget(
  kube: KubeClient,
  minAvailable: number,
  name = app,
): Promise<void> {
  await kube.create(budgets, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name },
    spec: { minAvailable, selector: { matchLabels: { app: name } } },
  });
}

export async function deleteBudget(kube: KubeClient, name = app): Promise<void> {
  await kube.delete(`${budgets}/${name}`);
}

async function allow(kube: KubeClient, minAvailable: number, name = app): Promise<void> {
  await kube.patch(`${budgets}/${name}`, 'merge', { spec: { minAvailable } });
}

interface PodOptions {
  name?: string;
  annotations?: Record<string, string>;
  graceSeconds?: number;
}

/** On each machine. */
export async function startPods(
  kube: KubeClient,
  podsPerMachine: number,
  { name = app, annotations = {}, graceSeconds = 30 }: PodOptions = {},
): Promise<void> {
  const { items } = await kube.list<Machine>(customResource('machines', namespace));
  for (const { metadata } of items) {
    for (let index = 0; index < podsPerMachine; index += 1) {
      await kube.create(namespaced('pods', namespace), {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `${name}-${metadata.name}-${index}`, labels: { app: name }, annotations },
        spec: {
          nodeName: metadata.labels?.['node'] ?? metadata.name,
          terminationGracePeriodSeconds: graceSeconds,
          containers: [{ name: 'app', image: 'nothing' }],
        },
      });
    }
  }
}

export async function untilCounted(kube: KubeClient, pods: number, name = app): Promise<void> {
  await until(`the budget counts ${pods} pods`, async () => {
    const budget = await kube.get<{ status?: { currentHealthy?: number } }>(`${budgets}/${name}`);
    return budget.status?.currentHealthy === pods;
  });
}

const blocked = 'ExecutionStatus="Running" AND State="DrainBlocked"';

export async function untilBlocked(stack: Stack, machines: number): Promise<void> {
  await until(`${machines} drains are blocked`, async () => {
    return (await countOf(stack, blocked)) === machines;
  });
}

async function countOf(stack: Stack, query: string): Promise<number> {
  const address = stack.environment['TEMPORAL_ADDRESS'] ?? '';
  const connection = await Connection.connect({ address });
  const { count } = await new Client({ connection }).workflow.count(query);
  await connection.close();
  return count;
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + limitMs;
  while (!(await isSo())) {
    if (Date.now() > end) throw timeoutOf(what);
    await sleep(200);
  }
}

function timeoutOf(what: string): Error {
  return new Error(`not within ${limitMs / 1_000} s: ${what}`);
}

interface Pod extends KubeObject {
  status?: { conditions?: { type: string; status: string }[] };
}

export const readyOf = (pods: PodState[]): number => pods.filter(({ isReady }) => isReady).length;

interface PodState {
  isReady: boolean;
  /** It is not being deleted. */
  isStaying: boolean;
}

/** The pods of the measurement as a watch sees them. */
export class LivePods implements AsyncDisposable {
  readonly #pods: LiveList<Pod, PodState>;
  #onChange: (() => void) | undefined;

  constructor(kube: KubeClient) {
    this.#pods = new LiveList<Pod, PodState>({
      kube,
      path: namespaced('pods', namespace),
      project: stateOf,
      onChange: () => this.#onChange?.(),
    });
  }

  /** Until no more than so many are not being deleted. */
  async untilAtMost(count: number): Promise<void> {
    await this.until(`${count} pods stay`, (states) => {
      return states.filter(({ isStaying }) => isStaying).length <= count;
    });
  }

  async until(what: string, isSo: (pods: PodState[]) => boolean): Promise<void> {
    const limit = AbortSignal.timeout(limitMs);
    await new Promise<void>((resolve, reject) => {
      limit.addEventListener('abort', () => reject(timeoutOf(what)));
      const check = (): void => {
        if (isSo([...this.#pods.items.values()])) resolve();
      };
      this.#onChange = check;
      check();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pods.stop();
  }
}

function stateOf({ metadata, status }: Pod): PodState {
  const conditions = status?.conditions ?? [];
  return {
    isReady: conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    isStaying: metadata.deletionTimestamp === undefined,
  };
}
