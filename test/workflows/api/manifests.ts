/**
 * Manifests at the edge of what is allowed, for the rules in deploy/crds and for their twins in
 * validation.ts.
 */
import { apiVersion } from '../../../workflows/api/constants.ts';

export type Kind = 'Machine' | 'MachineSet' | 'MachineDeployment' | 'MachineClass';

export interface Manifest {
  apiVersion: string;
  kind: Kind;
  metadata: { name: string };
  [field: string]: unknown;
}

type Fields = Record<string, unknown>;

const classRef = { kind: 'MachineClass', name: 'small' };

const manifest = (kind: Kind, fields: Fields): Manifest => ({
  apiVersion,
  kind,
  metadata: { name: 'edge' },
  ...fields,
});

const machine = (change: Fields = {}): Manifest =>
  manifest('Machine', { spec: { class: classRef, ...change } });

const template = (change: Fields = {}): Fields => ({
  metadata: { labels: { name: 'pool' } },
  spec: { class: classRef },
  ...change,
});

const machineSet = (change: Fields = {}): Manifest =>
  manifest('MachineSet', {
    spec: {
      replicas: 1,
      selector: { matchLabels: { name: 'pool' } },
      template: template(),
      ...change,
    },
  });

const rollingUpdate = (change: Fields = {}): Fields => ({
  type: 'RollingUpdate',
  rollingUpdate: { maxSurge: 1, maxUnavailable: 0, ...change },
});

const inPlaceUpdate = (change: Fields = {}): Fields => ({
  type: 'InPlaceUpdate',
  inPlaceUpdate: { maxSurge: 1, maxUnavailable: 0, orchestrationType: 'Auto', ...change },
});

const machineDeployment = (change: Fields = {}): Manifest =>
  manifest('MachineDeployment', {
    spec: {
      replicas: 1,
      selector: { matchLabels: { name: 'pool' } },
      strategy: rollingUpdate(),
      template: template(),
      ...change,
    },
  });

const machineClass = (nodeTemplate?: Fields): Manifest =>
  manifest('MachineClass', { providerSpec: {}, ...(nodeTemplate && { nodeTemplate }) });

const nodeTemplate = (change: Fields = {}): Fields => ({
  capacity: { cpu: 2, gpu: 0, memory: '4Gi' },
  instanceType: 'small',
  region: 'here',
  zone: 'a',
  ...change,
});

/** MCM v0.62.1 accepts these, and so do we. */
export const accepted: { name: string; object: Manifest }[] = [
  { name: 'a machine', object: machine() },
  {
    name: 'durations in all forms of Go',
    object: machine({
      drainTimeout: '1h30m',
      healthTimeout: '1.5h',
      creationTimeout: '300ms',
      inPlaceUpdateTimeout: '0',
      machinePreserveTimeout: '2µs',
    }),
  },
  {
    name: 'a class of another kind, which is looked up by name only',
    object: machine({ class: { kind: 'AWSMachineClass', name: 'small' } }),
  },
  {
    name: 'what Go writes for an empty ObjectMeta',
    object: machine({ nodeTemplate: { metadata: { creationTimestamp: null, labels: null } } }),
  },
  {
    name: 'a template with nulls, as server-side apply sends them',
    object: machineSet({
      template: template({ metadata: { labels: { name: 'pool', a: null }, annotations: null } }),
    }),
  },
  { name: 'a set', object: machineSet() },
  { name: 'a set with an empty class of its own', object: machineSet({ machineClass: {} }) },
  {
    name: 'a selector without matchLabels',
    object: machineSet({
      selector: { matchExpressions: [{ key: 'name', operator: 'In', values: ['pool'] }] },
    }),
  },
  { name: 'no replicas', object: machineSet({ replicas: undefined }) },
  { name: 'a deployment', object: machineDeployment() },
  {
    name: 'surge and unavailable both 0',
    object: machineDeployment({ strategy: rollingUpdate({ maxSurge: 0 }) }),
  },
  {
    name: 'percentages',
    object: machineDeployment({
      strategy: rollingUpdate({ maxSurge: '150%', maxUnavailable: '+5%' }),
    }),
  },
  { name: 'Recreate alone', object: machineDeployment({ strategy: { type: 'Recreate' } }) },
  {
    name: 'an unfinished block of another strategy',
    object: machineDeployment({
      strategy: { type: 'Recreate', rollingUpdate: {}, inPlaceUpdate: { maxSurge: 1 } },
    }),
  },
  {
    name: 'an update in place',
    object: machineDeployment({ strategy: inPlaceUpdate({ orchestrationType: 'Manual' }) }),
  },
  { name: 'a class without a node template', object: machineClass() },
  {
    name: 'a node template with more than is known of',
    object: machineClass(nodeTemplate({ virtualCapacity: { 'example.com/slots': '8' }, more: 1 })),
  },
];

const durationRule = 'must be a duration of 0 or more, such as 90s, 20m or 1h30m';
const countRule = 'must be a whole number of 0 or more';
const deadlineRule = 'must be 1 or more; without it there is no limit';
const amountRule = 'must be a number of 0 or more, or a percentage such as 25%';
const labelsRule = 'must all be labels in spec.template.metadata.labels, with the same values';

/** Stored until a Node was to be labelled with its name. */
export const longNamed = {
  object: { ...machine(), metadata: { name: 'm'.repeat(64) } },
  fault:
    'metadata.name: Invalid value: must have at most 63 characters: it becomes a label of the Node',
};

/** MCM v0.62.1 would store these and do nothing. `faults`: all that is said, one a field. */
export const refused: { name: string; object: Manifest; faults: string[] }[] = [
  {
    name: 'a machine without spec',
    object: manifest('Machine', {}),
    faults: ['spec: Required value: must say what is wanted'],
  },
  {
    name: 'a machine without class',
    object: machine({ class: undefined }),
    faults: ['spec.class: Required value: must name a MachineClass'],
  },
  {
    name: 'a class reference that is empty',
    object: machine({ class: { kind: '' } }),
    faults: [
      'spec.class.kind: Required value: must be MachineClass',
      'spec.class.name: Required value: must be the name of a MachineClass in this namespace',
    ],
  },
  {
    name: 'durations that Go cannot read',
    object: machine({
      drainTimeout: '2 hours',
      healthTimeout: '',
      creationTimeout: '20',
      inPlaceUpdateTimeout: '1d',
      machinePreserveTimeout: '.h',
    }),
    faults: [
      `spec.drainTimeout: Invalid value: "2 hours": ${durationRule}`,
      `spec.healthTimeout: Invalid value: "": ${durationRule}`,
      `spec.creationTimeout: Invalid value: "20": ${durationRule}`,
      `spec.inPlaceUpdateTimeout: Invalid value: "1d": ${durationRule}`,
      `spec.machinePreserveTimeout: Invalid value: ".h": ${durationRule}`,
    ],
  },
  {
    name: 'negative times and counts of a machine',
    object: machine({ creationTimeout: '-5m', drainTimeout: '-0s', maxEvictRetries: -1 }),
    faults: [
      `spec.drainTimeout: Invalid value: "-0s": ${durationRule}`,
      `spec.creationTimeout: Invalid value: "-5m": ${durationRule}`,
      `spec.maxEvictRetries: Invalid value: -1: ${countRule}`,
    ],
  },
  {
    name: 'negative times and counts of a set',
    object: machineSet({ minReadySeconds: -1, autoPreserveFailedMachineMax: -1 }),
    faults: [
      `spec.minReadySeconds: Invalid value: -1: ${countRule}`,
      `spec.autoPreserveFailedMachineMax: Invalid value: -1: ${countRule}`,
    ],
  },
  {
    name: 'negative times and counts of a deployment',
    object: machineDeployment({
      revisionHistoryLimit: -2,
      rollbackTo: { revision: -1 },
      progressDeadlineSeconds: -5,
      template: template({ spec: { class: classRef, healthTimeout: '-1s' } }),
    }),
    faults: [
      `spec.revisionHistoryLimit: Invalid value: -2: ${countRule}`,
      `spec.rollbackTo.revision: Invalid value: -1: ${countRule}`,
      `spec.progressDeadlineSeconds: Invalid value: -5: ${deadlineRule}`,
      `spec.template.spec.healthTimeout: Invalid value: "-1s": ${durationRule}`,
    ],
  },
  {
    name: 'a deadline that is over before it begins',
    object: machineDeployment({ progressDeadlineSeconds: 0 }),
    faults: [`spec.progressDeadlineSeconds: Invalid value: 0: ${deadlineRule}`],
  },
  {
    name: 'a set without spec',
    object: manifest('MachineSet', {}),
    faults: ['spec: Required value: must say what is wanted'],
  },
  {
    name: 'a set with nothing in its spec',
    object: manifest('MachineSet', { spec: {} }),
    faults: [
      'spec.selector: Required value: must select machines by labels that the template gives them',
      'spec.template: Required value: must say what each machine is made from',
    ],
  },
  {
    name: 'a negative number of machines',
    object: machineSet({ replicas: -1 }),
    faults: ['spec.replicas: Invalid value: -1: should be a non-negative integer'],
  },
  {
    name: 'a selector with another value than the template',
    object: machineSet({ selector: { matchLabels: { name: 'other' } } }),
    faults: [`spec.selector.matchLabels: Invalid value: ${labelsRule}`],
  },
  {
    name: 'a template without labels',
    object: machineSet({ template: template({ metadata: {} }) }),
    faults: [`spec.selector.matchLabels: Invalid value: ${labelsRule}`],
  },
  {
    name: 'a template without spec',
    object: machineSet({ template: template({ spec: undefined }) }),
    faults: ['spec.template.spec: Required value: must say what is wanted'],
  },
  {
    name: 'a template with a bad machine',
    object: machineSet({ template: template({ spec: { class: {}, drainTimeout: 'x' } }) }),
    faults: [
      'spec.template.spec.class.kind: Required value: must be MachineClass',
      'spec.template.spec.class.name: Required value: must be the name of a MachineClass in this namespace',
      `spec.template.spec.drainTimeout: Invalid value: "x": ${durationRule}`,
    ],
  },
  {
    name: 'a deployment without spec',
    object: manifest('MachineDeployment', {}),
    faults: ['spec: Required value: must say what is wanted'],
  },
  {
    name: 'a deployment without template',
    object: machineDeployment({ template: undefined, selector: {} }),
    faults: ['spec.template: Required value'],
  },
  {
    name: 'a deployment without selector and strategy',
    object: machineDeployment({ selector: undefined, strategy: undefined }),
    faults: [
      'spec.selector: Required value: must select machines by labels that the template gives them',
      'spec.strategy: Required value: must have a type: RollingUpdate, Recreate or InPlaceUpdate',
    ],
  },
  {
    name: 'a deployment of fewer than none, with labels of another',
    object: machineDeployment({
      replicas: -3,
      selector: { matchLabels: { name: 'pool', a: 'b' } },
    }),
    faults: [
      'spec.replicas: Invalid value: -3: should be a non-negative integer',
      `spec.selector.matchLabels: Invalid value: ${labelsRule}`,
    ],
  },
  {
    name: 'a strategy without type',
    object: machineDeployment({ strategy: { rollingUpdate: {} } }),
    faults: [
      'spec.strategy.type: Required value: must be RollingUpdate, Recreate or InPlaceUpdate',
    ],
  },
  {
    name: 'a strategy that does not exist',
    object: machineDeployment({ strategy: { type: 'OnDelete' } }),
    faults: [
      'spec.strategy.type: Invalid value: "OnDelete": must be RollingUpdate, Recreate or InPlaceUpdate',
    ],
  },
  {
    name: 'a rolling update without its block',
    object: machineDeployment({ strategy: { type: 'RollingUpdate' } }),
    faults: [
      'spec.strategy.rollingUpdate: Required value: must give maxSurge and maxUnavailable, because the type is RollingUpdate',
    ],
  },
  {
    name: 'a rolling update without its amounts',
    object: machineDeployment({ strategy: { type: 'RollingUpdate', rollingUpdate: {} } }),
    faults: [
      `spec.strategy.rollingUpdate.maxSurge: Required value: ${amountRule}`,
      `spec.strategy.rollingUpdate.maxUnavailable: Required value: ${amountRule}`,
    ],
  },
  {
    name: 'amounts that are no amounts',
    object: machineDeployment({ strategy: rollingUpdate({ maxSurge: '1', maxUnavailable: -1 }) }),
    faults: [
      `spec.strategy.rollingUpdate.maxSurge: Invalid value: "1": ${amountRule}`,
      `spec.strategy.rollingUpdate.maxUnavailable: Invalid value: -1: ${amountRule}`,
    ],
  },
  {
    name: 'an update in place without its block',
    object: machineDeployment({ strategy: { type: 'InPlaceUpdate' } }),
    faults: [
      'spec.strategy.inPlaceUpdate: Required value: must give maxSurge, maxUnavailable and orchestrationType, because the type is InPlaceUpdate',
    ],
  },
  {
    name: 'an update in place with nothing in its block',
    object: machineDeployment({ strategy: { type: 'InPlaceUpdate', inPlaceUpdate: {} } }),
    faults: [
      `spec.strategy.inPlaceUpdate.maxSurge: Required value: ${amountRule}`,
      `spec.strategy.inPlaceUpdate.maxUnavailable: Required value: ${amountRule}`,
      'spec.strategy.inPlaceUpdate.orchestrationType: Required value: must be Auto or Manual',
    ],
  },
  {
    name: 'an update in place that nobody leads',
    object: machineDeployment({ strategy: inPlaceUpdate({ orchestrationType: 'auto' }) }),
    faults: [
      'spec.strategy.inPlaceUpdate.orchestrationType: Invalid value: "auto": must be Auto or Manual',
    ],
  },
  {
    name: 'a class without gpu in its capacity',
    object: machineClass(nodeTemplate({ capacity: { cpu: 1, memory: '1Gi' } })),
    faults: ['nodeTemplate.capacity: Invalid value: must have the keys cpu, gpu and memory'],
  },
  {
    name: 'a class with empty words',
    object: machineClass(nodeTemplate({ instanceType: '', region: '', zone: '' })),
    faults: [
      'nodeTemplate.instanceType: Invalid value: "": must not be empty',
      'nodeTemplate.region: Invalid value: "": must not be empty',
      'nodeTemplate.zone: Invalid value: "": must not be empty',
    ],
  },
  {
    name: 'a node template with nothing in it',
    object: machineClass({}),
    faults: [
      'nodeTemplate.capacity: Required value',
      'nodeTemplate.instanceType: Required value',
      'nodeTemplate.region: Required value',
      'nodeTemplate.zone: Required value',
    ],
  },
];
