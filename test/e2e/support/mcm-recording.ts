/**
 * The recordings in `test/fixtures/mcm-0.62.1`, retold for one scenario: another namespace,
 * names of its own, and times as if the moment was now. All else is as MCM v0.62.1 wrote it.
 */
import { join } from 'node:path';
import type { KubeObject } from '../../../kube/client/client.ts';
import { repository } from '../../../deploy/local/layout.ts';
import type { MachineClass } from '../../../workflows/api/machine-class.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { NodeObject, SecretObject } from './cluster.ts';
import { isInPlaceMoment, objectsAt, type InPlaceMoment } from './in-place-moments.ts';
import { momentsOf, readHistory } from './object-history.ts';

/** Of a rollout: the last revision of the API server that belongs to it. */
const rollouts = {
  '01-creating': 249,
  '02-running': 279,
  '03-rollout-surge-pending': 305,
  '04-rollout-first-old-terminating': 329,
  '05-rollout-complete-revision-2': 463,
  '06-rolled-back-complete': 648,
  '07-create-errors': 696,
  '08-drain-blocked-by-pdb': 753,
  '09-after-scale-down': 823,
} as const;

export type Moment = InPlaceMoment | keyof typeof rollouts;

/** UIDs, resourceVersions and generations are those of the recording. */
export interface Recording {
  secrets: SecretObject[];
  classes: MachineClass[];
  deployments: MachineDeployment[];
  sets: MachineSet[];
  machines: Machine[];
  nodes: NodeObject[];
}

export interface Retelling {
  namespace: string;
  /**
   * Machine -> the providerID of its VM in the local cloud; a machine without one keeps the
   * recorded providerID.
   */
  providerIDs?: Record<string, string>;
}

const rolloutsFile = join(repository, 'test/fixtures/mcm-0.62.1/rollouts.jsonl');

export function readRecording(moment: Moment, retelling: Retelling): Recording {
  const text = JSON.stringify(isInPlaceMoment(moment) ? objectsAt(moment) : rolloutAt(moment));
  const objects: KubeObject[] = JSON.parse(atPresent(retold(text, retelling)));
  const recording = {
    secrets: ofKind<SecretObject>(objects, 'Secret'),
    classes: ofKind<MachineClass>(objects, 'MachineClass'),
    deployments: ofKind<MachineDeployment>(objects, 'MachineDeployment'),
    sets: ofKind<MachineSet>(objects, 'MachineSet'),
    machines: ofKind<Machine>(objects, 'Machine'),
    nodes: ofKind<NodeObject>(objects, 'Node'),
  };
  renameDeployments(recording, retelling);
  return recording;
}

function rolloutAt(moment: keyof typeof rollouts): KubeObject[] {
  const until = readHistory(rolloutsFile).filter(({ revision }) => revision <= rollouts[moment]);
  const last = [...momentsOf(until)].at(-1);
  return [...(last?.values() ?? [])];
}

/** The oldest first, as they were created. */
function ofKind<T extends KubeObject>(items: KubeObject[], kind: string): T[] {
  const found = items.filter((item): item is T => item.kind === kind);
  return found.toSorted((a, b) => (bornAt(a) < bornAt(b) ? -1 : 1));
}

const bornAt = ({ metadata }: KubeObject): string =>
  `${metadata.creationTimestamp} ${metadata.name}`;

const setNames = /\b(?=(?:pool|quota|forbidden)-[a-z0-9]{5}\b)/g;
const providerID = /virtual:\/\/\/bench\/([-a-z0-9]+)/g;

/**
 * What `retold` makes another scenario's again: the text of one that the local stack recorded.
 * `machines`: all that ever were.
 */
export function untold(text: string, namespace: string, machines: readonly Machine[]): string {
  const instances = machines.map(({ metadata, spec }) => [spec.providerID, metadata.name] as const);
  return instances
    .reduce(
      (told, [id, name]) =>
        id === undefined ? told : told.replaceAll(id, `virtual:///bench/${name}`),
      text,
    )
    .replaceAll(`${namespace}-`, '')
    .replaceAll(namespace, 'default');
}

/** In the text, because names stand in messages and annotations as well. */
function retold(text: string, { namespace, providerIDs = {} }: Retelling): string {
  return text
    .replaceAll(/\bdefault\b/g, namespace)
    .replaceAll(setNames, `${namespace}-`)
    .replaceAll(providerID, (recorded, name: string) => providerIDs[name] ?? recorded);
}

/** A deployment's name is a label of its machines too, and the name of a class: these stay. */
function renameDeployments({ deployments, sets }: Recording, { namespace }: Retelling): void {
  for (const { metadata } of deployments) metadata.name = `${namespace}-${metadata.name}`;
  for (const owner of sets.flatMap(({ metadata }) => metadata.ownerReferences ?? [])) {
    owner.name = `${namespace}-${owner.name}`;
  }
}

const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;

/** Moves all times so that the last thing that was recorded has just happened. */
function atPresent(text: string): string {
  const recorded = text.match(time)?.map((found) => Date.parse(found)) ?? [];
  const passed = Date.now() - Math.max(...recorded);
  return text.replaceAll(time, (found) => {
    const moved = new Date(Date.parse(found) + passed).toISOString();
    return moved.replace(/\.\d+Z$/, 'Z');
  });
}
