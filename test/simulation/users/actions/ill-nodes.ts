/** Nodes that fail, whose Machines are kept for an inquiry, and that are mended again. */
import { annotations } from '../../../../workflows/api/constants.ts';
import { hasNode, minuteMs, nodeOf, secondMs } from '../user.ts';
import type { Picked, User } from '../user.ts';
import { terminateMachine } from './commands.ts';
import { reportDeadlock } from './nodes.ts';

const nodesMost = 3;

/**
 * A few Nodes of a bad series: their Machines are kept, and fail. They are mended in a maintenance,
 * in which the control plane is started again as well. Some people end the workflows first, which
 * start anew.
 */
export async function keepIllNodes(user: User): Promise<void> {
  const { chance, control } = user;
  const machines = pickHosts(user);
  if (chance.happens(0.5)) for (const { name } of machines) await terminateMachine(user, name);
  for (const { path } of machines) {
    control.patch(path, { spec: { machinePreserveTimeout: '3h' } });
    mark(user, path, 'now');
  }
  if (!(await user.wait(5 * secondMs, 2 * minuteMs))) return;
  report(user, machines, 'True');
  if (!(await user.wait(7 * minuteMs, 12 * minuteMs))) return;
  await beginMaintenance(user);
  report(user, machines, 'False');
  if (!(await user.wait(9 * minuteMs, 20 * minuteMs))) return;
  for (const { path } of machines) mark(user, path, null);
}

function pickHosts(user: User): Picked[] {
  const left = user.all('machines').filter(({ object }) => hasNode(object));
  const count = 1 + user.chance.below(nodesMost);
  return Array.from({ length: count }, () => {
    const picked = user.oneOf(left);
    if (picked) left.splice(left.indexOf(picked), 1);
    return picked ?? [];
  }).flat();
}

function mark({ control }: User, path: string, value: string | null): void {
  const body = { metadata: { annotations: { [annotations.preserve]: value } } };
  if (control.has(path)) control.patch(path, body);
}

function report(user: User, machines: readonly Picked[], status: 'True' | 'False'): void {
  for (const { object } of machines) {
    const node = nodeOf(object);
    if (node !== undefined) reportDeadlock(user, node, status);
  }
}

/** Not where the Nodes are in the same cluster: while that is away none can be mended. */
async function beginMaintenance(user: User): Promise<void> {
  const { control, target } = user.install;
  if (control === target) return;
  user.restartControlPlane(user.chance.between(10, 35) * secondMs);
  await user.wait(secondMs, 5 * secondMs);
}
