/** A pool that a machine-controller-manager left in the middle of an update in place (MCM 7.9). */
import { customResource, node as nodePath } from '../../../kube/client/paths.ts';
import {
  annotations,
  apiVersion,
  finalizers,
  labels,
  taints,
} from '../../../workflows/api/constants.ts';
import type { Body } from '../../support/api-server/creation.ts';
import type { Foreign } from '../cloud/cloud.ts';
import { newNode, readyCondition } from '../cloud/node.ts';
import type { InstanceRecord } from '../cloud/records.ts';
import { tagNames } from '../cloud/strangers.ts';
import type { Chance } from '../engine/chance.ts';
import { hasPoolsInPlace } from '../users/in-place.ts';
import { labelsOf } from '../users/objects.ts';
import { classNames } from '../users/set-up.ts';
import { namedChance } from './named-chance.ts';
import type { Install, World } from './world.ts';

interface OtherCloud {
  addForeign(wanted: Foreign): InstanceRecord;
}

interface Kubelets {
  /** That runs on the instance. */
  of(record: InstanceRecord): { start(): void } | undefined;
}

/** Of worlds with pools that are updated in place. */
const share = 0.5;
const pool = 'left-pool';
const most = 3;

/** Where one machine was when MCM ended. */
interface Stage {
  phase: string;
  /** Reason of the condition; empty: none. */
  reason: string;
  isSelected?: true;
  result?: 'successful' | 'failed';
  isCordoned?: true;
  /** It is in the set of the template by now. */
  hasMoved?: true;
  /** And its marks are off. */
  isDone?: true;
}

const waiting: readonly Stage[] = [
  { phase: 'Running', reason: '' },
  { phase: 'Running', reason: 'CandidateForUpdate' },
  { phase: 'Running', reason: 'UpdateSuccessful', hasMoved: true, isDone: true },
];

const chosen = { isSelected: true } as const;
const shut = { ...chosen, isCordoned: true } as const;
const good = { result: 'successful' } as const;

/** After each write of MCM. */
const underWay: readonly Stage[] = [
  { phase: 'Running', reason: 'CandidateForUpdate', ...chosen },
  { phase: 'Running', reason: 'SelectedForUpdate', ...chosen },
  { phase: 'Running', reason: 'SelectedForUpdate', ...shut },
  { phase: 'InPlaceUpdating', reason: 'SelectedForUpdate', ...shut },
  { phase: 'InPlaceUpdating', reason: 'DrainSuccessful', ...shut },
  { phase: 'InPlaceUpdating', reason: 'ReadyForUpdate', ...shut },
  { phase: 'InPlaceUpdating', reason: 'ReadyForUpdate', ...shut, ...good },
  { phase: 'InPlaceUpdating', reason: 'ReadyForUpdate', ...shut, result: 'failed' },
  { phase: 'InPlaceUpdating', reason: 'UpdateSuccessful', ...shut, ...good },
  { phase: 'InPlaceUpdateSuccessful', reason: 'UpdateSuccessful', ...shut, ...good },
  { phase: 'InPlaceUpdating', reason: 'UpdateFailed', ...shut, result: 'failed' },
  { phase: 'InPlaceUpdateFailed', reason: 'UpdateFailed', ...shut, result: 'failed' },
  { phase: 'InPlaceUpdateFailed', reason: 'ReadyForUpdate', ...shut },
  { phase: 'Running', reason: 'UpdateSuccessful', ...shut, ...good, hasMoved: true },
  { phase: 'Running', reason: 'UpdateSuccessful', ...chosen, ...good, hasMoved: true },
];

/** To be called after the users have created their objects. */
export function leavePool(world: World, parts: { cloud: OtherCloud; kubelets: Kubelets }): void {
  const { seed, now } = world.simulation;
  const chance = namedChance(seed, 'pool left by MCM');
  if (!hasPoolsInPlace(seed) || !chance.happens(share)) return;
  const install = chance.pick(world.installs);
  const others = Array.from({ length: chance.below(most) }, () => chance.pick(waiting));
  const stages = [chance.pick(underWay), ...others];
  const left = new LeftPool(install, { ...parts, chance, now });
  left.make(stages);
  world.simulation.note('MCM', `left ${pool}: ${stages.map(textOf).join(', ')}`);
}

const textOf = ({ phase, reason, result }: Stage): string =>
  [phase, reason, result].filter((text) => text).join(' ');

interface Parts {
  cloud: OtherCloud;
  kubelets: Kubelets;
  chance: Chance;
  now: number;
}

class LeftPool {
  readonly #install: Install;
  readonly #parts: Parts;
  readonly #className: string;

  constructor(install: Install, parts: Parts) {
    this.#install = install;
    this.#parts = parts;
    this.#className = parts.chance.pick(classNames);
  }

  make(stages: readonly Stage[]): void {
    const old = stages.filter(({ hasMoved }) => !hasMoved).length;
    // The size of the new set has not followed yet.
    const counted = stages.filter(({ isDone }) => isDone).length;
    const deployment = this.#create('machinedeployments', this.#deployment(stages.length));
    const owner = ownerOf('MachineDeployment', pool, deployment);
    const sets = {
      old: this.#create('machinesets', this.#set(owner, { version: '1', replicas: old })),
      new: this.#create('machinesets', this.#set(owner, { version: '2', replicas: counted })),
    };
    stages.forEach((stage, index) => {
      const name = `${pool}-${index + 1}`;
      this.#machine(name, stage, stage.hasMoved ? sets.new : sets.old);
    });
  }

  #create(kind: 'machinedeployments' | 'machinesets' | 'machines', body: Body): string {
    const { control, namespace } = this.#install;
    const made: { metadata?: { uid?: string } } = control.server.create(
      customResource(kind, namespace),
      body,
    );
    return made.metadata?.uid ?? '';
  }

  #deployment(replicas: number): Body {
    const { chance } = this.#parts;
    const maxUnavailable = chance.pick([1, 1, 2]);
    const inPlaceUpdate = { maxUnavailable, maxSurge: 0, orchestrationType: 'Auto' };
    return {
      apiVersion,
      kind: 'MachineDeployment',
      metadata: {
        ...this.#metadata(pool),
        labels: labelsOf(pool),
        annotations: { [annotations.revision]: '2' },
      },
      spec: {
        replicas,
        strategy: { type: 'InPlaceUpdate', inPlaceUpdate },
        selector: { matchLabels: labelsOf(pool) },
        template: this.#template('2'),
      },
    };
  }

  #metadata(name: string) {
    return { name, namespace: this.#install.namespace, finalizers: [finalizers.machine] };
  }

  #template(version: string) {
    const spec = { class: { kind: 'MachineClass', name: this.#className } };
    return { metadata: { labels: { ...labelsOf(pool), version } }, spec };
  }

  #set(
    owner: ReturnType<typeof ownerOf>,
    { version, replicas }: { version: '1' | '2'; replicas: number },
  ): Body {
    const template = this.#template(version);
    const hashed = { ...template.metadata.labels, [labels.templateHash]: hashOf(version) };
    const isOld = version === '1';
    return {
      apiVersion,
      kind: 'MachineSet',
      metadata: {
        ...this.#metadata(`${pool}-${hashOf(version)}`),
        labels: { ...hashed, ...(isOld && { [labels.scaleUpDisabled]: 'true' }) },
        annotations: {
          [annotations.revision]: version,
          ...(isOld && { [annotations.preferNoSchedule]: 'True' }),
        },
        ownerReferences: [owner],
      },
      spec: {
        replicas,
        selector: { matchLabels: { ...labelsOf(pool), [labels.templateHash]: hashOf(version) } },
        template: { ...template, metadata: { labels: hashed } },
      },
    };
  }

  #machine(name: string, stage: Stage, setUid: string): void {
    const { control, clusterUid, namespace } = this.#install;
    const { cloud, kubelets, now } = this.#parts;
    const version = stage.hasMoved ? '2' : '1';
    const { spec, metadata } = this.#template('1');
    const ofSet = {
      ...metadata.labels,
      [labels.templateHash]: hashOf(version),
      ...(stage.hasMoved && !stage.isDone && { [labels.updateResult]: 'successful' }),
    };
    const uid = this.#create('machines', {
      apiVersion,
      kind: 'Machine',
      metadata: {
        ...this.#metadata(name),
        labels: { ...ofSet, node: name },
        ownerReferences: [ownerOf('MachineSet', `${pool}-${hashOf(version)}`, setUid)],
      },
      spec,
    });
    const tags = {
      [tagNames.cluster]: clusterUid,
      [tagNames.namespace]: namespace,
      [tagNames.machineUid]: uid,
    };
    const record = cloud.addForeign({ name, tags });
    const path = customResource('machines', namespace, name);
    const { providerID } = record;
    control.server.patch(path, { type: 'merge', body: { spec: { providerID } } });
    const conditions = conditionsOf(stage, now);
    const status = { ...statusOf(stage, now), conditions };
    control.server.patch(`${path}/status`, { type: 'merge', body: { status } });
    this.#install.target.server.create(nodePath(), nodeOf(record, stage, now));
    kubelets.of(record)?.start();
  }
}

const hashOf = (version: '1' | '2'): string => ({ 1: 'aaaaa', 2: 'bbbbb' })[version];

function ownerOf(kind: string, name: string, uid: string) {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** MCM began the step so long ago. */
const sinceMs = 120_000;

const timeBefore = (now: number): string =>
  `${new Date(now - sinceMs).toISOString().slice(0, 19)}Z`;

function statusOf({ phase }: Stage, now: number): object {
  const lastUpdateTime = timeBefore(now);
  const state = phase === 'InPlaceUpdateFailed' ? 'Failed' : 'Successful';
  return {
    currentStatus: { phase, lastUpdateTime },
    lastOperation: { description: 'left by MCM', state, type: 'HealthCheck', lastUpdateTime },
  };
}

function conditionsOf({ reason }: Stage, now: number): object[] {
  const time = timeBefore(now);
  const times = { lastHeartbeatTime: time, lastTransitionTime: time };
  const ready = { ...readyCondition('True', 'kubelet is posting ready status'), ...times };
  if (reason === '') return [ready];
  const message = 'left by MCM';
  return [ready, { type: 'InPlaceUpdate', status: 'True', reason, message, ...times }];
}

function nodeOf(record: InstanceRecord, stage: Stage, now: number): Body {
  const { isDone, isSelected, isCordoned, result } = stage;
  const { metadata, ...node } = newNode(record);
  const marks = {
    [labels.candidateForUpdate]: 'true',
    ...(isSelected && { [labels.selectedForUpdate]: 'true' }),
    ...(result && { [labels.updateResult]: result }),
  };
  const avoided = { key: taints.preferNoSchedule, value: 'True', effect: 'PreferNoSchedule' };
  const isFailed = result === 'failed';
  return {
    ...node,
    metadata: {
      name: record.name,
      ...metadata,
      labels: { ...metadata?.labels, ...(!isDone && marks) },
      annotations: {
        ...metadata?.annotations,
        ...(isFailed && { [annotations.updateFailedReason]: 'disk is full' }),
      },
    },
    spec: {
      providerID: record.providerID,
      ...(isCordoned && { unschedulable: true }),
      ...(!isDone && { taints: [avoided] }),
    },
    status: { conditions: conditionsOf(stage, now) },
  };
}
