/** Does what the plan says, whatever is away at the moment. */
import { kill9Component } from '../e2e/support/components.ts';
import { ofObjects } from '../e2e/support/workflow-records.ts';
import type { Action } from './action.ts';
import { createPool, nameOf, persistently, type World } from './world.ts';

export const noWorkflow = 'no workflow';

/** Returns what it was done to, in words. Throws when the servers do not answer for two minutes. */
export async function perform(world: World, action: Action): Promise<string> {
  return await persistently(JSON.stringify(action), () => attempt(world, action));
}

async function attempt(world: World, action: Action): Promise<string> {
  const { cluster, cloud, stateDir } = world;
  switch (action.type) {
    case 'create':
      await createPool(world, action.pool, action);
      return `${nameOf(action.pool)} of ${action.replicas} ${action.class}`;
    case 'scale':
      await cluster.scale(nameOf(action.pool), action.replicas);
      return `${nameOf(action.pool)} to ${action.replicas}`;
    case 'roll': {
      const template = { spec: { class: { kind: 'MachineClass', name: action.class } } };
      await cluster.patch('machinedeployments', nameOf(action.pool), { spec: { template } });
      return `${nameOf(action.pool)} to ${action.class}`;
    }
    case 'drain':
      return await deleteMachine(world, action);
    case 'delete':
      await cluster.delete(cluster.pathOf('machinedeployments', nameOf(action.pool)));
      return nameOf(action.pool);
    case 'kill': {
      const { pid } = await kill9Component(stateDir, action.component);
      return `${action.component} ${pid}`;
    }
    case 'fault':
      await cloud.addFault(action.fault);
      return Object.values(action.fault).join(' ');
    case 'cancel':
    case 'terminate':
      return await endWorkflow(world, action);
  }
}

type Of<T extends Action['type']> = Extract<Action, { type: T }>;

/** `kubectl delete machine`: it is drained, and its set makes another one. */
async function deleteMachine({ cluster }: World, { pool, share }: Of<'drain'>): Promise<string> {
  const names = (await cluster.machines())
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.startsWith(`${nameOf(pool)}-`));
  const name = at(names, share);
  if (name === undefined) return `no machine of ${nameOf(pool)}`;
  await cluster.delete(cluster.pathOf('machines', name));
  return name;
}

/** As with a click in the Temporal UI. */
async function endWorkflow(
  { workflows }: World,
  { type, share }: Of<'cancel' | 'terminate'>,
): Promise<string> {
  const id = at(await workflows.running(ofObjects), share);
  if (id === undefined) return noWorkflow;
  await (type === 'cancel' ? workflows.cancel(id) : workflows.terminate(id));
  return id;
}

const at = (names: readonly string[], share: number): string | undefined =>
  names.toSorted()[Math.floor(share * names.length)];
