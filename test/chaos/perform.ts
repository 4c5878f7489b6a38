/** Does what the plan says, whatever is away at the moment. */
import { kill9Component } from '../e2e/support/components.ts';
import { ofObjects } from '../e2e/support/workflow-records.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { node as nodePath } from '../../kube/client/paths.ts';
import { annotations, labels } from '../../workflows/api/constants.ts';
import type { Action } from './action.ts';
import { createWorst } from './worst.ts';
import { createPool, nameOf, persistently, prefixOf, type World } from './world.ts';

export const noWorkflow = 'no workflow';

/** Returns what it was done to, in words. Throws when the servers do not answer for two minutes. */
export async function perform(world: World, action: Action): Promise<string> {
  return await persistently(JSON.stringify(action), () => attempt(world, action));
}

async function attempt(world: World, action: Action): Promise<string> {
  if ('pool' in action) return await changePool(world, action);
  const { cloud, stateDir } = world;
  switch (action.type) {
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
    case 'reset':
      return await resetWorkflow(world, action);
    case 'lie':
      return await lieOfNode(world, action);
    case 'strip':
      world.policy.stripFor(action.seconds);
      return `${action.seconds} s`;
    case 'worst':
      return await createWorst(world.cluster);
  }
}

async function changePool(
  world: World,
  action: Extract<Action, { pool: string }>,
): Promise<string> {
  const { cluster } = world;
  const name = nameOf(action.pool);
  switch (action.type) {
    case 'create':
      await createPool(world, action.pool, action);
      return `${name} of ${action.replicas} ${action.class}`;
    case 'scale':
      await cluster.scale(name, action.replicas);
      return `${name} to ${action.replicas}`;
    case 'roll': {
      const template = { spec: { class: { kind: 'MachineClass', name: action.class } } };
      await cluster.patch('machinedeployments', name, { spec: { template } });
      return `${name} to ${action.class}`;
    }
    case 'drain':
      return await deleteMachine(world, action);
    case 'delete':
      await cluster.delete(cluster.pathOf('machinedeployments', name));
      return name;
  }
}

type Of<T extends Action['type']> = Extract<Action, { type: T }>;

/** `kubectl delete machine`: it is drained, and its set makes another one. */
async function deleteMachine({ cluster }: World, { pool, share }: Of<'drain'>): Promise<string> {
  const names = (await cluster.machines())
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.startsWith(prefixOf(nameOf(pool))));
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

/** As with the button "Reset": the run goes on from one of its tasks, as another run. */
async function resetWorkflow(
  { workflows }: World,
  { share, point, reapply }: Of<'reset'>,
): Promise<string> {
  const id = at(await workflows.running(ofObjects), share);
  if (id === undefined) return noWorkflow;
  const eventId = at(await workflows.tasksOf(id), point);
  if (eventId === undefined) return noWorkflow;
  await workflows.reset(id, eventId, reapply);
  return `${id} to event ${eventId}, applied again: ${reapply}`;
}

/** What NodeRestriction lets a kubelet write on its own Node. */
async function lieOfNode({ cluster }: World, { share }: Of<'lie'>): Promise<string> {
  const names = (await cluster.nodes()).map(({ metadata }) => metadata.name);
  const name = at(names, share);
  if (name === undefined) return 'no Node';
  const other = names.find((one) => one !== name) ?? 'nobody';
  const metadata = {
    labels: { [labels.machineName]: other },
    annotations: { [annotations.lastAppliedNodeTemplate]: '{"taints":[{}' },
  };
  await ignoreNotFound(cluster.target.patch(nodePath(name), 'merge', { metadata }));
  return `${name} says it is ${other}`;
}

const at = (names: readonly string[], share: number): string | undefined =>
  names.toSorted()[Math.floor(share * names.length)];
