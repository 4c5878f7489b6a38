/** kill -9 of what all scenarios share. The stack starts it again. */
import { readStack, type Stack } from '../../../deploy/local/stack.ts';
import { signalProcess } from '../../../deploy/local/supervision/identity.ts';
import { eventually } from './eventually.ts';

type Component = Stack['components'][string];

/** Kills a component; one that is about to start again is waited for. Returns what was killed. */
export async function kill9Component(stateDir: string, name: string): Promise<Component> {
  const component = await eventually(`${name} runs`, () => componentOf(stateDir, name));
  signalProcess(component, 'SIGKILL');
  return component;
}

export async function untilStartedAgain(
  stateDir: string,
  name: string,
  killed: Component,
): Promise<void> {
  await eventually(`${name} runs again`, () => {
    if (componentOf(stateDir, name).pid === killed.pid) throw new Error(`${name} is the same`);
  });
}

function componentOf(stateDir: string, name: string): Component {
  const component = readStack(stateDir)?.components[name];
  if (component === undefined) throw new Error(`The stack in ${stateDir} runs no ${name}`);
  return component;
}
