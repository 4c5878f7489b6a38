/** Workloads on the Nodes, and the budgets that guard them. */
import type { Body } from '../../../support/api-server/creation.ts';
import { minuteMs, secondMs } from '../user.ts';
import type { User } from '../user.ts';

const apps = ['web', 'db', 'batch', 'cache'] as const;
const namespace = 'default';
const most = 6;

export const budgetsOf = (of: string): string =>
  `/apis/policy/v1/namespaces/${of}/poddisruptionbudgets`;
/** Where users have their workloads. */
export const budgets = budgetsOf(namespace);
/** Of budgets that never allow an eviction, so that they are found again. */
export const blockingLabel = 'example.com/blocks';

export function startWorkload({ workloads, install, chance }: User): void {
  const replicas = 1 + chance.below(most);
  workloads?.add({ cluster: install.target, namespace, name: chance.pick(apps), replicas });
}

export function endWorkload({ workloads, install, chance }: User): void {
  workloads?.remove({ cluster: install.target, namespace, name: chance.pick(apps) });
}

type Limits = Record<'minAvailable' | 'maxUnavailable', number | string | null>;

const ordinary: readonly Limits[] = [
  { minAvailable: null, maxUnavailable: 1 },
  { minAvailable: null, maxUnavailable: '50%' },
  { minAvailable: 1, maxUnavailable: null },
  { minAvailable: '50%', maxUnavailable: null },
];
const blocking: readonly Limits[] = [
  { minAvailable: null, maxUnavailable: 0 },
  { minAvailable: '100%', maxUnavailable: null },
  { minAvailable: most, maxUnavailable: null },
];

/** One for an app, which may be its second: such pods are not evicted at all. */
export async function addBudget(user: User): Promise<void> {
  const { chance, target } = user;
  const app = chance.pick(apps);
  const isSecond = chance.happens(0.1);
  const blocks = isSecond || chance.happens(0.3);
  const limits = chance.pick(blocks && !isSecond ? blocking : ordinary);
  const name = isSecond ? `${app}-2` : app;
  const path = `${budgets}/${name}`;
  const labels = { [blockingLabel]: blocks ? 'True' : null };
  const selector = { matchLabels: { app } };
  const body = { metadata: { labels }, spec: { ...limits, selector } };
  if (target.has(path)) target.patch(path, body);
  else target.create(budgets, budgetBody({ name, labels, spec: { ...limits, selector } }));
  if (!blocks || !(await user.wait(30 * secondMs, 20 * minuteMs))) return;
  if (chance.happens(0.5)) target.delete(path);
  else {
    const relaxed = { spec: { minAvailable: null, maxUnavailable: 1 } };
    target.patch(path, { metadata: { labels: { [blockingLabel]: null } }, ...relaxed });
  }
}

function present(fields: object): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function budgetBody({ name, labels, spec }: { name: string; labels: object; spec: object }): Body {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace, labels: present(labels) },
    spec: present(spec),
  };
}

export function deleteBudget({ target, chance }: User): void {
  const path = `${budgets}/${chance.pick(apps)}`;
  if (target.has(path)) target.delete(path);
}
