/** Components of the stack that all scenarios share. Whoever hurts them runs alone. */
import { expect } from '@jest/globals';
import { readStack } from '../../../deploy/local/stack.ts';
import { signalProcess, type ProcessIdentity } from '../../../deploy/local/supervision/identity.ts';
import { eventually } from './eventually.ts';
import { testStack } from './test-stack.ts';

export function componentOf(name: string): ProcessIdentity {
  const component = testStack().stack.components[name];
  if (component === undefined) throw new Error(`the stack runs no ${name}`);
  return component;
}

/** Kills a component, and waits until the stack has started it again. */
export async function kill9(name: string): Promise<void> {
  const { layout } = testStack();
  const before = componentOf(name);
  signalProcess(before, 'SIGKILL');
  await eventually(`${name} runs again`, () => {
    const after = readStack(layout.stateDir)?.components[name];
    expect(after?.pid).not.toBe(before.pid);
    expect(after).toBeDefined();
  });
}
