/** Objects of a story, and what happens to them. */
import { parse } from 'yaml';
import { controllerOf } from '../../../../../kube/objects/owners.ts';
import { patched } from '../../../../../cli/plan/patched.ts';
import type { SimulatedRollout } from '../../../../../cli/plan/simulation.ts';
import { annotations } from '../../../../../workflows/api/constants.ts';
import type { MachineSet } from '../../../../../workflows/api/machine-set.ts';
import type { Machine } from '../../../../../workflows/api/machine.ts';
import {
  aMachine,
  aMachineDeployment,
  aMachineSet,
  aTemplate,
  controlledBy,
} from '../../../../support/builders.ts';

/** stories.yaml says what the texts mean. */
export interface Story {
  title: string;
  /** By class, which is their set as well; the template is that of the last. */
  machines: Record<string, number>;
  settings: string;
  /** By minute. */
  events: Record<string, string>;
}

export type Pool = SimulatedRollout['objects'];

export const classOf = ({ spec }: MachineSet): string => spec.template?.spec?.class?.name ?? '';

export function poolOf({ machines, settings }: Story): Pool {
  const names = Object.keys(machines);
  const replicas = Object.values(machines).reduce((sum, size) => sum + size, 0);
  const spec = { replicas, template: templateOf(names.at(-1) ?? '') };
  const deployment = aMachineDeployment({ spec });
  const sets = names.map((name, index) => {
    const notes = {
      [annotations.revision]: `${index + 1}`,
      [annotations.desiredReplicas]: `${replicas}`,
    };
    const metadata = { name, ownerReferences: controlledBy(deployment), annotations: notes };
    const own = { replicas: machines[name] ?? 0, template: templateOf(name) };
    return aMachineSet({ metadata, spec: own });
  });
  const pool = { deployment, sets, machines: sets.flatMap(machinesOf) };
  return changed(pool, settings, 0);
}

const templateOf = (name: string) => aTemplate({ spec: { class: { kind: 'MachineClass', name } } });

function machinesOf(set: MachineSet): Machine[] {
  const [ownerReferences, labels] = [controlledBy(set), { pool: 'a' }];
  return Array.from({ length: set.spec.replicas ?? 0 }, (_, index) => {
    const metadata = { name: `${classOf(set)}-${index}`, labels, ownerReferences };
    return aMachine({ metadata, spec: set.spec.template?.spec ?? {}, phase: 'Running' });
  });
}

export function changed(pool: Pool, text: string, now: number): Pool {
  const changes: Record<string, never> = parse(text);
  return Object.entries(changes).reduce((before, change) => changedBy(before, change, now), pool);
}

function changedBy(pool: Pool, [key, value]: [string, unknown], now: number): Pool {
  const patch = machinePatches(now)[key];
  if (!patch) return { ...pool, deployment: patched(pool.deployment, deploymentPatch(key, value)) };
  const hit = Object.entries(value ?? {}).flatMap(([name, count]) =>
    pool.machines.filter(({ spec }) => spec.class?.name === name).slice(0, Number(count)),
  );
  const machines = pool.machines.map((one) => (hit.includes(one) ? patched(one, patch) : one));
  return { ...pool, machines };
}

const machinePatches = (now: number): Record<string, object> => ({
  failed: { status: { currentStatus: { phase: 'Failed' } } },
  lost: { status: { currentStatus: { phase: 'Unknown' } } },
  deleted: { metadata: { deletionTimestamp: new Date(now).toISOString() } },
});

function deploymentPatch(key: string, value: unknown): object {
  if (key.includes('/')) return { metadata: { annotations: { [key]: value } } };
  if (key === 'class') return { spec: { template: { spec: { class: { name: value } } } } };
  if (!key.startsWith('max')) return { spec: { [key]: value } };
  return { spec: { strategy: { rollingUpdate: { [key]: value } } } };
}

/** The machines of each set: # runs, o comes, ! failed, ? is not heard of, x goes. */
export function pictureOf({ sets, machines }: Pool): string {
  const pictures = sets.map((set) => {
    const own = machines.filter((one) => controllerOf(one)?.uid === set.metadata.uid);
    return `${classOf(set)} ${own.map(letterOf).toSorted().join('')}`;
  });
  return pictures.filter((text) => !text.endsWith(' ')).join('  ');
}

function letterOf({ metadata, status }: Machine): string {
  if (metadata.deletionTimestamp !== undefined) return 'x';
  const letters: Record<string, string> = { Running: '#', Failed: '!', Unknown: '?' };
  return letters[status?.currentStatus?.phase ?? ''] ?? 'o';
}
