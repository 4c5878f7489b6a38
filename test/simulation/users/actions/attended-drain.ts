/** A drain that cannot end, of a Machine that another controller goes on writing to. */
import { annotations as marks } from '../../../../workflows/api/constants.ts';
import { hasNode, minuteMs, nodeOf, secondMs } from '../user.ts';
import type { Picked, User } from '../user.ts';
import { blockingLabel, budgetsOf } from './pods.ts';

const name = 'closed-for-now';
const longestMs = 30 * minuteMs;
const namespaces = ['default', 'apps'] as const;

/**
 * Nothing may be evicted for a while, as before an event; a Machine goes nevertheless, and a
 * controller keeps its node template or its preservation in step all the time.
 */
export async function attendDrain(user: User): Promise<void> {
  const { chance, control } = user;
  const picked = pickHost(user);
  if (!picked) return;
  const isOfSpec = chance.happens(0.25);
  closeBudgets(user);
  control.patch(picked.path, { spec: { drainTimeout: '40m' } });
  control.delete(picked.path);
  const [endAt, mostMs] = [user.now + chance.between(0.3, 1) * longestMs, 12 * secondMs];
  while (user.now < endAt && (await user.wait(secondMs, mostMs))) {
    if (control.isUp && !control.has(picked.path)) break;
    control.patch(picked.path, note(user, isOfSpec));
  }
  openBudgets(user);
}

/** One whose drain takes a while, if there is one. */
function pickHost(user: User): Picked | undefined {
  const joined = user.all('machines').filter(({ object }) => hasNode(object));
  const hosts = hostsOf(user);
  const busy = joined.filter(({ object }) => hosts.has(nodeOf(object)));
  return user.oneOf(busy.length > 0 ? busy : joined);
}

/** Names of Nodes with pods that a drain evicts. */
function hostsOf({ target }: User): ReadonlySet<unknown> {
  const pods = namespaces.flatMap((of) => target.list(`/api/v1/namespaces/${of}/pods`));
  const evicted = pods.filter(({ metadata: { ownerReferences = [] } }) =>
    ownerReferences.every(({ kind }) => kind !== 'DaemonSet' && kind !== 'Node'),
  );
  return new Set(evicted.map(({ spec }) => spec?.['nodeName']));
}

/** A new spec is read between two steps; a preservation, which comes too late, ends no drain. */
function note(user: User, isOfSpec: boolean): object {
  const annotations = { 'example.com/seen': user.timeIn(0) };
  if (isOfSpec) return { spec: { nodeTemplate: { metadata: { annotations } } } };
  const value = user.chance.pick(['now', 'when-failed', 'false']);
  return { metadata: { annotations: { [marks.preserve]: value } } };
}

function closeBudgets({ target }: User): void {
  for (const namespace of namespaces) {
    const metadata = { name, namespace, labels: { [blockingLabel]: 'True' } };
    const spec = { maxUnavailable: 0, selector: {} };
    const body = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata, spec };
    target.create(budgetsOf(namespace), body);
  }
}

/** The users tidy up what stays, as its API server does not answer. */
function openBudgets({ target }: User): void {
  for (const namespace of namespaces) {
    const path = `${budgetsOf(namespace)}/${name}`;
    if (target.has(path)) target.delete(path);
  }
}
