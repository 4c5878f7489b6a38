/**
 * Control planes beside the one that all tests share: for control clusters and target clusters that
 * are not to meet, and for what would hurt the others.
 */
import { join } from 'node:path';
import { layoutOf } from '../../../deploy/local/layout.ts';
import { startStack, stopStack, type Stack } from '../../../deploy/local/stack.ts';
import { testStack, testStackOf, type TestStack } from './test-stack.ts';

const controlPlane = ['etcd', 'kube-apiserver', 'cluster'];
const all = [...controlPlane, 'virtual-cloud'];

function stateDirOf(name: string): string {
  return join(testStack().layout.stateDir, name);
}

/**
 * With Nodes and a cloud of its own. It ends with the process that started it, however that goes.
 * Temporal is that of the stack that all tests share.
 */
export async function startSecondStack(name: string): Promise<TestStack> {
  const { stack, layout, virtualCloud } = testStackOf(await start(name, all));
  return { stack, layout, virtualCloud, temporalAddress: testStack().temporalAddress };
}

/** As above, for objects alone: Nodes and cloud are those that all tests share. */
export async function startControlPlane(name: string): Promise<TestStack> {
  const stack = await start(name, controlPlane);
  return { ...testStack(), stack, layout: layoutOf(stack.stateDir) };
}

async function start(name: string, only: string[]): Promise<Stack> {
  const stateDir = stateDirOf(name);
  await stopStack(stateDir);
  return await startStack({ stateDir, operator: false, fresh: true, quiet: true, only });
}

export async function stopSecondStack(name: string): Promise<void> {
  await stopStack(stateDirOf(name));
}
