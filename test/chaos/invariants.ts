/**
 * What must hold. Each rule says in words where it does not; a rule that says nothing holds. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import { className } from '../e2e/support/manifests.ts';
import { completionOf, progressOf } from '../e2e/support/completion.ts';
import { isReady } from '../e2e/support/cluster.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { ObjectMeta } from '../../workflows/api/meta.ts';
import { workflowIdOf } from '../../workflows/contracts/workflow-ids.ts';
import { type Kind } from '../../workflows/contracts/references.ts';
import type { Snapshot } from './snapshot.ts';
import type { Wish } from './wishes.ts';
import { prefixOf } from './world.ts';

export interface Expectation {
  /** By name of the MachineDeployment. None at all: classes and Secret are to be gone as well. */
  wishes: Readonly<Record<string, Wish>>;
}

export interface Invariant {
  name: string;
  violations(snapshot: Snapshot, expectation: Expectation): string[];
}

/** These hold when everything has come to rest. */
export const restingInvariants: readonly Invariant[] = [
  { name: 'every wish has come true', violations: openWishes },
  { name: 'one VM for each Machine, and none without one', violations: unevenInstances },
  { name: 'no Node without a VM', violations: straysAmongNodes },
  { name: 'one open workflow for each object, and none without one', violations: unevenWorkflows },
  { name: 'no deleted object is held by a finalizer', violations: heldObjects },
];

/** These hold at any time: what breaks them never heals. */
export const lastingInvariants: readonly Invariant[] = [
  { name: 'never two VMs for a token', violations: sharedTokens },
  { name: 'never two VMs for a Machine', violations: doubledNames },
  { name: 'every workflow that ended by itself has completed', violations: badEnds },
];

function openWishes(snapshot: Snapshot, { wishes }: Expectation): string[] {
  const { deployments, sets, machines } = snapshot;
  const wanted = Object.entries(wishes).flatMap(([name, wish]) => openWish(snapshot, name, wish));
  const isWanted = ({ metadata }: { metadata: { name: string } }): boolean =>
    Object.keys(wishes).some((pool) => `${metadata.name}-`.startsWith(prefixOf(pool)));
  const unwanted = [...deployments, ...sets, ...machines].filter((object) => !isWanted(object));
  return [...wanted, ...unwanted.map((object) => `${wordsOf(object)} is still there`)];
}

function openWish(snapshot: Snapshot, name: string, wish: Wish): string[] {
  const deployment = snapshot.deployments.find(({ metadata }) => metadata.name === name);
  if (deployment === undefined) return [`MachineDeployment ${name} is missing`];
  const seen = JSON.stringify(progressOf(deployment));
  const complete = JSON.stringify(completionOf(deployment));
  const machines = snapshot.machines.filter(({ metadata }) =>
    metadata.name.startsWith(prefixOf(name)),
  );
  return [
    ...(deployment.spec.replicas === wish.replicas
      ? []
      : [`${name} wants ${deployment.spec.replicas} machines instead of ${wish.replicas}`]),
    ...(seen === complete
      ? []
      : [`MachineDeployment ${name} is at ${seen} instead of ${complete}`]),
    ...(machines.length === wish.replicas
      ? []
      : [`${name} has ${machines.length} machines instead of ${wish.replicas}`]),
    ...machines.flatMap((machine) => unfinished(machine, snapshot, wish)),
  ];
}

function unfinished(machine: Machine, { nodes }: Snapshot, wish: Wish): string[] {
  const { name, labels } = machine.metadata;
  const node = nodes.find(({ metadata }) => metadata.name === labels?.['node']);
  const facts = {
    phase: machine.status?.currentStatus?.phase,
    class: machine.spec.class?.name,
    isNodeReady: node !== undefined && isReady(node),
  };
  const wanted = { phase: 'Running', class: wish.class, isNodeReady: true };
  if (isDeepStrictEqual(facts, wanted)) return [];
  const words = [facts, wanted, machine.status?.lastOperation].map((part) => JSON.stringify(part));
  return [`Machine ${name} is ${words[0]} instead of ${words[1]}; last operation: ${words[2]}`];
}

function unevenInstances({ instances, machines }: Snapshot): string[] {
  const claims = machines.map(({ metadata, spec }) => `${metadata.name} ${spec.providerID ?? ''}`);
  const made = instances.map(({ name, providerID }) => `${name} ${providerID}`);
  return difference({ have: made, want: claims, thing: 'VM' });
}

function straysAmongNodes({ instances, nodes }: Snapshot): string[] {
  const providerIDs = new Set(instances.map(({ providerID }) => providerID));
  const strays = nodes.filter(({ spec }) => !providerIDs.has(spec?.providerID ?? ''));
  return strays.map(({ metadata }) => `Node ${metadata.name} has no VM`);
}

function unevenWorkflows({ running, deployments, sets, machines }: Snapshot): string[] {
  const want = [
    ...idsOf('machineDeployment', deployments),
    ...idsOf('machineSet', sets),
    ...idsOf('machine', machines),
  ];
  return difference({ have: running, want, thing: 'workflow' });
}

const idsOf = (kind: Kind, objects: readonly { metadata: ObjectMeta }[]): string[] =>
  objects.map(({ metadata: { name, namespace = '' } }) => workflowIdOf(kind, { namespace, name }));

function heldObjects(
  { classes, secrets, ...snapshot }: Snapshot,
  { wishes }: Expectation,
): string[] {
  const { deployments, sets, machines } = snapshot;
  const deleted = [...deployments, ...sets, ...machines].filter(
    ({ metadata }) => metadata.deletionTimestamp !== undefined,
  );
  const isEnd = Object.keys(wishes).length === 0;
  const used = isEnd
    ? [...classes, ...secrets.filter(({ metadata }) => metadata.name === className)]
    : [];
  return [...deleted, ...used].map(
    (object) =>
      `${wordsOf(object)} is deleted and held by ${object.metadata.finalizers?.join() ?? 'nobody'}`,
  );
}

function sharedTokens({ calls }: Snapshot): string[] {
  return Object.entries(calls.machinesPerToken.offenders).map(
    ([token, ids]) => `token ${token} has the VMs ${ids.join()}`,
  );
}

function doubledNames({ calls }: Snapshot): string[] {
  // A VM that vanished before its Machine knew of it is made again.
  return Object.entries(calls.createsPerName)
    .filter(([name, count]) => count > 1 + (calls.vanishedPerName[name] ?? 0))
    .map(([name, count]) => `Machine ${name} had ${count} VMs`);
}

/** Those that chaos terminated by hand are started again. */
function badEnds({ endedBadly }: Snapshot): string[] {
  return endedBadly.filter((text) => !text.endsWith('TERMINATED'));
}

interface Comparison {
  have: readonly string[];
  want: readonly string[];
  thing: string;
}

function difference({ have, want, thing }: Comparison): string[] {
  const twice = have.filter((item, index) => have.indexOf(item) !== index);
  return [
    ...twice.map((item) => `${thing} ${item} is there twice`),
    ...have
      .filter((item) => !want.includes(item))
      .map((item) => `${thing} ${item} belongs to nothing`),
    ...want.filter((item) => !have.includes(item)).map((item) => `${thing} ${item} is missing`),
  ];
}

const wordsOf = ({
  kind,
  metadata,
}: {
  kind?: string | undefined;
  metadata: { name: string };
}): string => `${kind ?? ''} ${metadata.name}`.trim();
