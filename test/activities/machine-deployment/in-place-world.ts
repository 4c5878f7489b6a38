/**
 * A deployment in the middle of an update in place: `workers-old` is closed, `workers-new` is the
 * set of its template.
 */
import { customResource, node as nodePath } from '../../../kube/client/paths.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import { byController } from '../../../kube/objects/owners.ts';
import type { InPlaceReason } from '../../../workflows/api/in-place.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { NodeCondition } from '../../../workflows/api/meta.ts';
import type { MachinePhase } from '../../../workflows/api/phases.ts';
import type {
  InPlaceMachines,
  SetFacts,
} from '../../../workflows/plan/machine-deployment/rollout/facts.ts';
import type { InPlaceStep } from '../../../workflows/plan/machine-deployment/rollout/steps.ts';
import { aMachineDeployment, aNode, namespace } from '../../support/builders.ts';
import { DeploymentWorld, ownSet } from './deployment-world.ts';

export const candidate = 'node.machine.sapcloud.io/candidate-for-update';
export const selected = 'node.machine.sapcloud.io/selected-for-update';
export const result = 'node.machine.sapcloud.io/update-result';
export const failedReason = 'node.machine.sapcloud.io/update-failed-reason';
export const critical = 'node.gardener.cloud/critical-components-not-ready';
export const avoidance = {
  key: 'deployment.machine.sapcloud.io/prefer-no-schedule',
  value: 'True',
  effect: 'PreferNoSchedule',
} as const;

const scaleUpDisabled = 'node.machine.sapcloud.io/scale-up-disabled';
const hashLabel = 'machine-template-hash';

const templateOf = (hash: string, size: string) => ({
  metadata: { labels: { pool: 'a', [hashLabel]: hash } },
  spec: { class: { kind: 'MachineClass', name: size } },
});

type Strategy = NonNullable<MachineDeployment['spec']['strategy']>;

const inPlaceUpdate = { maxSurge: 0, maxUnavailable: 1, orchestrationType: 'Auto' } as const;

export interface InPlaceMember {
  /** Its Node has this name too. */
  name: string;
  /** Default: the old one. */
  isNew?: boolean;
  phase?: MachinePhase;
  /** As the Machine has copied it, and, unless `nodeReason` says another, of its Node. */
  reason?: InPlaceReason;
  nodeReason?: InPlaceReason;
  message?: string;
  /** `lastTransitionTime` of the condition. */
  since?: string;
  /** Labels of the Node, by `c`, `s`, `+` (successful), `-` (failed). */
  marks?: string;
  isCordoned?: boolean;
  /** Its Node carries the taint of old ones. Default true. */
  isAvoided?: boolean;
  /** The Machine has the label that it was updated. */
  isMoved?: boolean;
  metadata?: Partial<Machine['metadata']>;
  lastOperation?: NonNullable<Machine['status']>['lastOperation'];
}

/** A test need not say why. */
export type Wordless<Step> = Step extends unknown ? Omit<Step, 'reason'> : never;

export const { providerID: instance = '' } = aNode().spec ?? {};

export class InPlaceWorld extends DeploymentWorld {
  constructor({
    replicas = 3,
    strategy = { type: 'InPlaceUpdate', inPlaceUpdate },
    spec,
  }: { replicas?: number; strategy?: Strategy; spec?: Partial<MachineDeployment['spec']> } = {}) {
    const template = { metadata: { labels: { pool: 'a' } }, spec: templateOf('new', 'large').spec };
    super(
      aMachineDeployment({ spec: { replicas, strategy, template, ...spec } }),
      ownSet('workers-old', {
        metadata: { labels: { [scaleUpDisabled]: 'true' } },
        spec: {
          replicas,
          selector: { matchLabels: { pool: 'a', [hashLabel]: 'old' } },
          template: templateOf('old', 'small'),
        },
      }),
      ownSet('workers-new', {
        metadata: { annotations: { 'deployment.kubernetes.io/revision': '2' } },
        spec: {
          replicas: 0,
          selector: { matchLabels: { pool: 'a', [hashLabel]: 'new' } },
          template: templateOf('new', 'large'),
        },
      }),
    );
  }

  async old(): Promise<MachineSet> {
    return await this.set(0);
  }

  async new(): Promise<MachineSet> {
    return await this.set(1);
  }

  async add(...members: InPlaceMember[]): Promise<void> {
    const [old, next] = [await this.old(), await this.new()];
    for (const member of members) this.#add(member.isNew ? next : old, member);
  }

  #add(set: MachineSet, member: InPlaceMember): void {
    const { name, phase = 'Running', reason, nodeReason = reason, marks = '' } = member;
    const {
      isCordoned = false,
      isAvoided = true,
      isMoved = false,
      metadata,
      lastOperation,
    } = member;
    const labels = {
      node: name,
      ...(isMoved && { [result]: 'successful' }),
      ...metadata?.labels,
    };
    const conditions = [ready, ...conditionOf(reason, member)];
    const currentStatus = { phase };
    this.addMachine(set, {
      metadata: { ...metadata, name, labels },
      spec: { ...set.spec.template?.spec, providerID: instance },
      status: { currentStatus, conditions, ...(lastOperation && { lastOperation }) },
    });
    const taints = isAvoided ? [avoidance] : [];
    this.world.target.put(
      aNode({
        metadata: {
          name,
          labels: { 'node.gardener.cloud/machine-name': name, ...labelsOf(marks) },
          annotations: marks.includes('-') ? { [failedReason]: 'no space' } : {},
        },
        spec: { providerID: instance, taints, ...(isCordoned && { unschedulable: true }) },
        status: { conditions: [ready, ...conditionOf(nodeReason, member)] },
      }),
    );
  }

  async inPlace(): Promise<Record<'old' | 'new', Partial<InPlaceMachines> | undefined>> {
    const { sets } = await this.survey();
    return { old: found(sets, 'workers-old'), new: found(sets, 'workers-new') };
  }

  /** Steps are given their words. */
  async do(step: Wordless<InPlaceStep>): Promise<void> {
    await this.tend({ ...step, reason: '' });
  }

  async node(name: string): Promise<Node> {
    return await this.world.target.read<Node>(nodePath(name));
  }

  /** As `marks` of a member. */
  async marksOf(name: string): Promise<string> {
    const { labels = {} } = (await this.node(name)).metadata;
    return Object.entries(signs)
      .filter(([, [key, value]]) => labels[key] === value)
      .map(([sign]) => sign)
      .join('');
  }

  /** Names of the machines of each set. */
  async members(): Promise<Record<'old' | 'new', string[]>> {
    const path = customResource('machines', namespace);
    const bySet = byController((await this.control.list<Machine>(path)).items);
    const names = ({ metadata: { uid } }: MachineSet): string[] =>
      (bySet.get(uid) ?? []).map(({ metadata }) => metadata.name);
    return { old: names(await this.old()), new: names(await this.new()) };
  }

  async resize(size: { old?: number; new?: number }): Promise<void> {
    for (const [name, replicas] of Object.entries(size))
      await this.changeSet(`workers-${name}`, { spec: { replicas } });
  }
}

const ready: NodeCondition = { type: 'Ready', status: 'True' };

function conditionOf(
  reason: InPlaceReason | undefined,
  { message = '', since }: Pick<InPlaceMember, 'message' | 'since'>,
): NodeCondition[] {
  const time = since === undefined ? {} : { lastTransitionTime: since };
  if (reason === undefined) return [];
  return [{ type: 'InPlaceUpdate', status: 'True', reason, message, ...time }];
}

const signs = {
  c: [candidate, 'true'],
  s: [selected, 'true'],
  '+': [result, 'successful'],
  '-': [result, 'failed'],
} as const;

function labelsOf(marks: string): Record<string, string> {
  const held = Object.entries(signs).filter(([sign]) => marks.includes(sign));
  return Object.fromEntries(held.map(([, [key, value]]) => [key, value]));
}

const isSaid = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : value !== 0);

/** What is not empty. */
function found(sets: readonly SetFacts[], name: string): Partial<InPlaceMachines> | undefined {
  const { inPlace } = sets.find((set) => set.name === name) ?? {};
  return (
    inPlace && Object.fromEntries(Object.entries(inPlace).filter(([, value]) => isSaid(value)))
  );
}
