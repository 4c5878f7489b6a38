/** kill -9 of what all scenarios share. The stack starts it again; whoever hurts it runs alone. */
import { readStack } from '../../../deploy/local/stack.ts';
import { signalProcess, type ProcessIdentity } from '../../../deploy/local/supervision/identity.ts';
import { eventually } from '../../support/eventually.ts';

/** Of the stack whose state is kept there. */
export function componentOf(stateDir: string, name: string): ProcessIdentity {
  const component = readStack(stateDir)?.components[name];
  if (component === undefined) throw new Error(`The stack in ${stateDir} runs no ${name}`);
  return component;
}

/** Kills a component; one that is about to start again is waited for. Returns what was killed. */
export async function kill9Component(stateDir: string, name: string): Promise<ProcessIdentity> {
  const component = await eventually(`${name} runs`, () => componentOf(stateDir, name));
  signalProcess(component, 'SIGKILL');
  return component;
}

/** Kills a component, and waits until the stack has started it again. */
export async function kill9(stateDir: string, name: string): Promise<void> {
  const killed = await kill9Component(stateDir, name);
  await eventually(`${name} runs again`, () => {
    if (componentOf(stateDir, name).pid === killed.pid) throw new Error(`${name} is the same`);
  });
}
