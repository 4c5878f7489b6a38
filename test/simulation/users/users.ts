/** People and their tools: what they do at any moment, by seed, until the weather clears. */
import type { Chance } from '../engine/chance.ts';
import type { Install, World } from '../world/world.ts';
import { Administrator } from './administrator.ts';
import type { Found } from './administrator.ts';
import { classOf, classNames, machineOf, secretOf, setOf, deploymentOf } from './objects.ts';

export interface UserParts {
  install: Install;
  /** Of the control cluster and the target. */
  control: Administrator;
  target: Administrator;
  chance: Chance;
  /** As many as there are in the beginning. */
  machines: number;
}

type Act = (parts: UserParts) => void;

interface Action {
  /** Compared with those of the others. */
  weight: number;
  act: Act;
}

const stopPath = ({ namespace }: Install): string =>
  `/api/v1/namespaces/${namespace}/configmaps/millwright-stop`;

/** By name, so that the search for the shortest run can leave some out. */
export const userActions: Readonly<Record<string, Action>> = {
  scale: { weight: 10, act: scale },
  scaleToZero: { weight: 1, act: (parts) => scaleTo(parts, 0) },
  roll: { weight: 4, act: roll },
  pause: { weight: 1, act: pause },
  resume: { weight: 2, act: resume },
  deleteMachine: { weight: 5, act: deleteMachine },
  deleteNode: { weight: 2, act: deleteNode },
  deleteDeployment: { weight: 0.5, act: deleteDeployment },
  deleteSet: { weight: 0.5, act: deleteSet },
  recreate: { weight: 2, act: recreate },
  stripFinalizer: { weight: 0.3, act: stripFinalizer },
  markMachine: { weight: 2, act: markMachine },
  orphanMachine: { weight: 0.5, act: orphanMachine },
  stop: { weight: 0.3, act: stop },
  start: { weight: 5, act: start },
  deleteSecret: { weight: 0.2, act: deleteSecret },
  deleteClass: { weight: 0.2, act: deleteClass },
  mendClasses: { weight: 1, act: mendClasses },
  cordon: { weight: 1, act: cordon },
  forceDelete: { weight: 1, act: forceDelete },
};

export const userNames = Object.keys(userActions);

/** In each install, on average. */
const actionsAnHour = 60;

export class Users {
  readonly #world: World;
  readonly #names: readonly string[];
  readonly #parts: UserParts[];
  readonly #chance: Chance;

  constructor(world: World, options: { names: readonly string[]; machines: number }) {
    const { simulation } = world;
    this.#world = world;
    this.#names = options.names;
    this.#chance = simulation.chance.fork();
    this.#parts = world.installs.map((install) => ({
      install,
      control: new Administrator(simulation, install.control, install.namespace),
      target: new Administrator(simulation, install.target, install.namespace),
      chance: this.#chance.fork(),
      machines: options.machines,
    }));
  }

  start(): void {
    for (const parts of this.#parts) {
      this.#world.weather.often(actionsAnHour, () => this.#actOnce(parts));
    }
  }

  #actOnce(parts: UserParts): void {
    const choices = Object.entries(userActions)
      .filter(([name]) => this.#names.includes(name))
      .map(([, action]) => ({ value: action, weight: action.weight }));
    if (choices.length > 0) this.#chance.weighted(choices)?.act(parts);
  }

  /** Takes away what they put in the way. */
  tidyUp(): void {
    for (const parts of this.#parts) {
      start(parts);
      mendClasses(parts);
      for (const { metadata } of parts.control.list('machinedeployments')) {
        parts.control.patch('machinedeployments', metadata.name, { spec: { paused: null } });
      }
    }
  }
}

function any({ chance }: UserParts, found: readonly Found[]): Found | undefined {
  return found.length === 0 ? undefined : chance.pick(found);
}

function scaleTo(parts: UserParts, replicas: number): void {
  const { control, chance } = parts;
  const kind = chance.happens(0.8) ? 'machinedeployments' : 'machinesets';
  const found = control.list(kind).filter(({ metadata }) => !metadata.ownerReferences?.length);
  const object = any(parts, found);
  if (object) control.patch(kind, object.metadata.name, { spec: { replicas } });
}

function scale(parts: UserParts): void {
  scaleTo(parts, parts.chance.below(Math.max(2, Math.floor(parts.machines / 2))));
}

function roll(parts: UserParts): void {
  const { control, chance } = parts;
  const object = any(parts, control.list('machinedeployments'));
  if (!object) return;
  const labels = { version: String(chance.below(5)) };
  const spec = { class: { kind: 'MachineClass', name: chance.pick(classNames) } };
  control.patch('machinedeployments', object.metadata.name, {
    spec: { template: { metadata: { labels }, spec } },
  });
}

function setPaused(parts: UserParts, paused: boolean): void {
  const object = any(parts, parts.control.list('machinedeployments'));
  if (object) parts.control.patch('machinedeployments', object.metadata.name, { spec: { paused } });
}

function pause(parts: UserParts): void {
  setPaused(parts, true);
}

function resume(parts: UserParts): void {
  setPaused(parts, false);
}

function deleteMachine(parts: UserParts): void {
  const object = any(parts, parts.control.list('machines'));
  if (object) parts.control.delete('machines', object.metadata.name);
}

function deleteNode(parts: UserParts): void {
  const machine = any(parts, parts.control.list('machines'));
  const node = machine?.metadata.labels?.['node'];
  if (node !== undefined) parts.target.deleteAt(`/api/v1/nodes/${node}`);
}

const policies = ['Background', 'Foreground', 'Orphan'] as const;

function deleteDeployment(parts: UserParts): void {
  const { control, chance } = parts;
  const object = any(parts, control.list('machinedeployments'));
  if (object) control.delete('machinedeployments', object.metadata.name, chance.pick(policies));
}

function deleteSet(parts: UserParts): void {
  const { control, chance } = parts;
  const object = any(parts, control.list('machinesets'));
  if (object) control.delete('machinesets', object.metadata.name, chance.pick(policies));
}

/** What was deleted comes back under its name, as GitOps does. */
function recreate({ install, control, chance, machines }: UserParts): void {
  const pool = `pool-${1 + chance.below(4)}`;
  const has = (kind: 'machinedeployments' | 'machinesets' | 'machines', name: string): boolean =>
    control.list(kind).some(({ metadata }) => metadata.name === name);
  const replicas = 1 + chance.below(Math.max(1, Math.floor(machines / 4)));
  if (!has('machinedeployments', pool)) {
    const deployment = deploymentOf(install, { name: pool, replicas }, chance);
    control.create('machinedeployments', deployment);
  }
  if (!has('machinesets', 'lone-set')) {
    control.create('machinesets', setOf(install, { name: 'lone-set', replicas }));
  }
  if (!has('machines', 'lone-machine')) {
    control.create('machines', machineOf(install, 'lone-machine'));
  }
}

/** As before a migration of the control plane. */
function stripFinalizer(parts: UserParts): void {
  const object = any(parts, parts.control.list('machines'));
  if (object) {
    parts.control.patch('machines', object.metadata.name, { metadata: { finalizers: null } });
  }
}

function annotate(parts: UserParts, annotations: Record<string, string>): void {
  const object = any(parts, parts.control.list('machines'));
  if (object) parts.control.patch('machines', object.metadata.name, { metadata: { annotations } });
}

function markMachine(parts: UserParts): void {
  annotate(parts, { 'machinepriority.machine.sapcloud.io': '1' });
}

function orphanMachine(parts: UserParts): void {
  const object = any(parts, parts.control.list('machines'));
  if (object) {
    const labels = { pool: 'none' };
    parts.control.patch('machines', object.metadata.name, { metadata: { labels } });
  }
}

function stop({ install, control }: UserParts): void {
  control.put(`/api/v1/namespaces/${install.namespace}/configmaps`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'millwright-stop', namespace: install.namespace },
    data: { reason: 'an incident' },
  });
}

function start({ install, control }: UserParts): void {
  if (control.has(stopPath(install))) control.deleteAt(stopPath(install));
}

function deleteSecret({ install, control }: UserParts): void {
  control.deleteAt(`/api/v1/namespaces/${install.namespace}/secrets/cloud`);
}

function deleteClass({ control, chance }: UserParts): void {
  control.delete('machineclasses', chance.pick(classNames));
}

function mendClasses({ install, control }: UserParts): void {
  const secrets = `/api/v1/namespaces/${install.namespace}/secrets`;
  if (!control.has(`${secrets}/cloud`)) control.put(secrets, secretOf(install));
  const present = control.list('machineclasses').map(({ metadata }) => metadata.name);
  for (const name of classNames) {
    if (!present.includes(name)) control.create('machineclasses', classOf(install, name));
  }
}

function cordon(parts: UserParts): void {
  const machine = any(parts, parts.control.list('machines'));
  const node = machine?.metadata.labels?.['node'];
  const unschedulable = parts.chance.happens(0.5);
  if (node !== undefined && parts.target.has(`/api/v1/nodes/${node}`)) {
    parts.target.patchAt(`/api/v1/nodes/${node}`, { spec: { unschedulable } });
  }
}

function forceDelete(parts: UserParts): void {
  const object = any(parts, parts.control.list('machines'));
  if (!object) return;
  const labels = { 'force-deletion': 'True' };
  parts.control.patch('machines', object.metadata.name, { metadata: { labels } });
  parts.control.delete('machines', object.metadata.name);
}
