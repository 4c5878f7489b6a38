/** Objects of a story, and what happens to them. */
import { parse } from 'yaml';
import { controllerOf } from '../../../../../kube/objects/owners.ts';
import { patched } from '../../../../../cli/plan/patched.ts';
import type { SimulatedPolicies, SimulatedRollout } from '../../../../../cli/plan/simulation.ts';
import { annotations } from '../../../../../workflows/api/constants.ts';
import type { InPlaceReason } from '../../../../../workflows/api/in-place.ts';
import { inPlaceReasonOf, inPlaceUpdate } from '../../../../../workflows/api/in-place.ts';
import type { MachineSet } from '../../../../../workflows/api/machine-set.ts';
import type { Machine } from '../../../../../workflows/api/machine.ts';
import type { MachinePhase } from '../../../../../workflows/api/phases.ts';
import type { RolloutGate } from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
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

/** A DisruptionPolicy, as far as a deployment alone can tell. */
interface StoryPolicy {
  /** Begin and end of each, minutes; default: it is always open. */
  windows?: [number, number][];
  /** Whose turn it is. */
  turn?: string;
  fault?: string;
  /** That may be on their way, over all deployments. */
  machines?: number;
  /** On their way of other deployments. */
  others?: number;
}

/** The policy that the text makes; null: there is none any more. */
export function policyIn(text: string): StoryPolicy | null | undefined {
  const { policy }: { policy?: StoryPolicy | null } = parse(text);
  return policy;
}

/** `start`: when the story begins, milliseconds. */
export function policiesOf(policy: StoryPolicy, start: number): SimulatedPolicies {
  return (objects, now) => {
    const { machines: most, others = 0 } = policy;
    const count = Math.max((most ?? 0) - others - goingIn(objects), 0);
    const why = `${most} at a time, and ${others} of others on their way`;
    const bound = { machines: { count, policy: 'db', why } };
    return { gate: { ...answerOf(policy, start, now), ...(most !== undefined && bound) } };
  };
}

const isGoing = ({ metadata }: Machine): boolean => metadata.deletionTimestamp !== undefined;

/** It goes, or it is updated in place. */
function isOnItsWay(machine: Machine): boolean {
  const reason = reasonOf(machine);
  const isUpdated = reason !== undefined && reason !== 'CandidateForUpdate';
  return isGoing(machine) || (isUpdated && reason !== 'UpdateSuccessful');
}

/** Machines that are on their way, and those that a set has lost by its size. */
export function goingIn({ sets, machines }: Pool): number {
  const lost = sets.map(({ metadata: { uid }, spec: { replicas = 0 } }) => {
    const own = machines.filter((one) => !isGoing(one) && controllerOf(one)?.uid === uid);
    return Math.max(own.length - replicas, 0);
  });
  return lost.reduce((sum, count) => sum + count, machines.filter(isOnItsWay).length);
}

function answerOf({ windows, turn, fault }: StoryPolicy, start: number, now: number): RolloutGate {
  const of = { policy: 'db' };
  if (fault !== undefined) return { closed: { ...of, kind: 'fault', why: fault } };
  if (turn !== undefined) return { closed: { ...of, kind: 'turn', why: `waits for ${turn}` } };
  const at = (minutes: number): number => start + minutes * 60_000;
  const next = windows?.find(([, end]) => now < at(end));
  if (!windows) return {};
  if (!next) return { closed: { ...of, kind: 'time', why: 'no window comes any more' } };
  const [begin, end] = next;
  if (now >= at(begin)) return { until: at(end) };
  return { closed: { ...of, kind: 'time', why: `waits until ${begin}m`, until: at(begin) } };
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
  const { policy: _policy, ...changes }: Record<string, unknown> = parse(text);
  return Object.entries(changes).reduce((before, change) => changedBy(before, change, now), pool);
}

function changedBy(pool: Pool, [key, value]: [string, unknown], now: number): Pool {
  const change = machineChanges(now)[key];
  if (!change)
    return { ...pool, deployment: patched(pool.deployment, deploymentPatch(key, value)) };
  const { of, patch } = change;
  const hit = Object.entries(value ?? {}).flatMap(([name, count]) => {
    const own = machinesOfClass(pool, name).filter((machine) => of?.(machine) ?? true);
    return own.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, Number(count));
  });
  const machines = pool.machines.map((one) => (hit.includes(one) ? patched(one, patch) : one));
  return { ...pool, machines };
}

function machinesOfClass({ sets, machines }: Pool, name: string): Machine[] {
  const uids = sets.filter((set) => classOf(set) === name).map(({ metadata }) => metadata.uid);
  return machines.filter((machine) => uids.includes(controllerOf(machine)?.uid ?? ''));
}

/** Those that fail are those whose update failed, if there are any. */
const rankOf = ({ status }: Machine): number =>
  status?.currentStatus?.phase === 'InPlaceUpdateFailed' ? 0 : 1;

interface MachineChange {
  of?: (machine: Machine) => boolean;
  patch: object;
}

const machineChanges = (now: number): Record<string, MachineChange> => ({
  failed: { patch: inPhase('Failed') },
  lost: { patch: inPhase('Unknown') },
  deleted: { patch: { metadata: { deletionTimestamp: new Date(now).toISOString() } } },
  selected: {
    of: (machine) => reasonOf(machine) === 'CandidateForUpdate',
    patch: saying('SelectedForUpdate', now),
  },
  updateFailed: {
    of: (machine) => ['SelectedForUpdate', 'ReadyForUpdate'].includes(reasonOf(machine) ?? ''),
    patch: {
      status: {
        ...inPhase('InPlaceUpdateFailed').status,
        ...saying('UpdateFailed', now, 'no space left').status,
      },
    },
  },
  updatedAgain: {
    of: (machine) => reasonOf(machine) === 'UpdateFailed',
    patch: {
      status: {
        ...inPhase('InPlaceUpdateSuccessful').status,
        ...saying('UpdateSuccessful', now).status,
      },
    },
  },
});

const inPhase = (phase: MachinePhase) => ({ status: { currentStatus: { phase } } });

const reasonOf = ({ status }: Machine) => inPlaceReasonOf(status?.conditions);

function saying(reason: InPlaceReason, now: number, message = '') {
  const lastTransitionTime = new Date(now).toISOString();
  const ready = { type: 'Ready', status: 'True' };
  const said = { type: inPlaceUpdate, status: 'True', reason, message, lastTransitionTime };
  return { status: { conditions: [ready, said] } };
}

function deploymentPatch(key: string, value: unknown): object {
  if (key.includes('/')) return { metadata: { annotations: { [key]: value } } };
  if (key === 'class') return { spec: { template: { spec: { class: { name: value } } } } };
  if (key === 'inPlace') {
    const strategy = { type: 'InPlaceUpdate', rollingUpdate: null, inPlaceUpdate: value };
    return { spec: { strategy } };
  }
  if (!key.startsWith('max')) return { spec: { [key]: value } };
  return { spec: { strategy: { rollingUpdate: { [key]: value } } } };
}

/**
 * The machines of each set: # runs, o comes, ! failed, ? is not heard of, x goes; in place: d is
 * drained, u updated, f its update failed.
 */
export function pictureOf({ sets, machines }: Pool): string {
  const pictures = sets.map((set) => {
    const own = machines.filter((one) => controllerOf(one)?.uid === set.metadata.uid);
    return `${classOf(set)} ${own.map(letterOf).toSorted().join('')}`;
  });
  return pictures.filter((text) => !text.endsWith(' ')).join('  ');
}

function letterOf(machine: Machine): string {
  const { metadata, status } = machine;
  if (metadata.deletionTimestamp !== undefined) return 'x';
  const phase = status?.currentStatus?.phase ?? '';
  if (phase === 'Running' && reasonOf(machine) === 'SelectedForUpdate') return 'd';
  return letters[phase] ?? 'o';
}

const letters: Record<string, string> = {
  Running: '#',
  Failed: '!',
  Unknown: '?',
  InPlaceUpdating: 'u',
  InPlaceUpdateFailed: 'f',
};
