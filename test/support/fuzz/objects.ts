/**
 * Objects that an API server may hold, drawn from the schemas in deploy/crds: a new field is
 * covered by itself.
 */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { parse } from 'yaml';
import { whole } from '../../../kube/client/normalize.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import {
  annotations,
  drainOptions,
  finalizers,
  group as ofMcm,
  labels,
  options,
  taints,
} from '../../../workflows/api/constants.ts';
import type { DisruptionPolicy } from '../../../workflows/api/disruption-policy.ts';
import type { MachineClass } from '../../../workflows/api/machine-class.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { ObjectMeta } from '../../../workflows/api/meta.ts';
import {
  aDisruptionPolicy,
  aMachine,
  aMachineClass,
  aMachineDeployment,
  aMachineSet,
  aNode,
  namespace,
} from '../builders.ts';
import type { Schema } from './schema.ts';
import { mostlyLike } from './schema.ts';
import { anyText, dateTime, labelValue } from './texts.ts';

interface Crd {
  spec: { versions: [{ schema: { openAPIV3Schema: Schema } }] };
}

export function schemaOf(plural: string, group = ofMcm): Schema {
  const url = new URL(`../../../deploy/crds/${group}_${plural}.yaml`, import.meta.url);
  const crd: Crd = parse(readFileSync(url, 'utf8'));
  return crd.spec.versions[0].schema.openAPIV3Schema;
}

/** Keys of all annotations that somebody reads. */
export const ownAnnotations = Object.values({ ...annotations, ...options, ...drainOptions });
const ownLabels = Object.values(labels);
const ownFinalizers = [
  ...Object.values(finalizers),
  'orphan',
  'foregroundDeletion',
  'example.com/a',
];

const reference = fc.record(
  {
    apiVersion: fc.constantFrom('machine.sapcloud.io/v1alpha1', 'v1'),
    kind: fc.constantFrom('MachineSet', 'MachineDeployment', 'ConfigMap'),
    name: fc.constantFrom('pool', 'workers', 'other'),
    uid: fc.constantFrom('uid-of-pool', 'uid-of-workers', 'uid-of-other'),
    controller: fc.boolean(),
    blockOwnerDeletion: fc.boolean(),
  },
  { requiredKeys: ['apiVersion', 'kind', 'name', 'uid'] },
);

/**
 * As an API server takes it: keys and label values have their form, values of annotations are any
 * text.
 */
export function metadataOf(name: fc.Arbitrary<string>): fc.Arbitrary<ObjectMeta> {
  return fc.record(
    {
      name,
      namespace: fc.constant(namespace),
      uid: fc.constantFrom('uid-1', 'uid-of-pool', 'uid-of-workers', 'uid-of-pool-a'),
      resourceVersion: fc.nat().map(String),
      creationTimestamp: dateTime,
      deletionTimestamp: dateTime,
      generation: fc.nat(),
      labels: fc.dictionary(fc.constantFrom(...ownLabels, 'pool'), labelValue, { maxKeys: 6 }),
      annotations: fc.dictionary(fc.constantFrom(...ownAnnotations), anyText, { maxKeys: 8 }),
      finalizers: fc.uniqueArray(fc.constantFrom(...ownFinalizers), { maxLength: 3 }),
      ownerReferences: fc.uniqueArray(reference, { maxLength: 2, selector: ({ uid }) => uid }),
    },
    { requiredKeys: ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'] },
  );
}

const machineName = fc.constantFrom('pool-a', 'pool-b', 'x'.repeat(253));

/** As the client gives it out: nobody checked its types. */
function overTheWire(object: unknown): ReturnType<typeof JSON.parse> {
  return whole(JSON.parse(JSON.stringify(object)));
}

function objectsLike<T extends { apiVersion: string; metadata: ObjectMeta }>(
  plural: string,
  good: T,
  name: fc.Arbitrary<string>,
): fc.Arbitrary<T> {
  const [group] = good.apiVersion.split('/');
  const schema = schemaOf(plural, group);
  const { apiVersion: _v, kind: _k, metadata: _m, ...properties } = schema.properties ?? {};
  const { metadata, ...content } = good;
  const metas = fc.oneof(fc.constant(metadata), metadataOf(name));
  return fc
    .tuple(mostlyLike({ ...schema, properties }, content), metas)
    .map(([fields, meta]): T =>
      overTheWire({ ...identityOf(good), ...Object(fields), metadata: meta }),
    );
}

function identityOf(good: object): object {
  return overTheWire({
    kind: Reflect.get(good, 'kind'),
    apiVersion: Reflect.get(good, 'apiVersion'),
  });
}

const goodMachine = aMachine({
  spec: {
    class: { kind: 'MachineClass', name: 'small' },
    providerID: 'local:///zone-1/i-1',
    drainTimeout: '10m',
    nodeTemplate: { metadata: { labels: { a: 'b' } }, spec: { taints: [] } },
  },
  status: { currentStatus: { phase: 'Running' }, lastOperation: {}, conditions: [] },
});

export const machines = objectsLike<Machine>('machines', goodMachine, machineName);

const setStatus = { replicas: 3, readyReplicas: 3, availableReplicas: 3, observedGeneration: 1 };

export const machineSets = objectsLike<MachineSet>(
  'machinesets',
  aMachineSet({ status: setStatus }),
  fc.constantFrom('pool', 'workers-1', 'x'.repeat(253)),
);

export const machineDeployments = objectsLike<MachineDeployment>(
  'machinedeployments',
  aMachineDeployment({ status: setStatus }),
  fc.constantFrom('workers', 'x'.repeat(253)),
);

export const machineClasses = objectsLike<MachineClass>(
  'machineclasses',
  aMachineClass({
    nodeTemplate: {
      capacity: { cpu: 1, gpu: 0, memory: '1Gi' },
      instanceType: 'a',
      region: 'r',
      zone: 'z',
    },
  }),
  fc.constantFrom('small', 'large'),
);

export const disruptionPolicies = objectsLike<DisruptionPolicy>(
  'disruptionpolicies',
  aDisruptionPolicy({
    spec: {
      selector: { matchLabels: { pool: 'db' } },
      windows: [
        { schedule: '0 2 * * SAT', duration: '4h', timeZone: 'Europe/Berlin', lead: '30m' },
      ],
      exclusions: [{ start: '2026-12-19T00:00:00Z', end: '2027-01-04T00:00:00Z' }],
      atATime: { machines: '10%', deployments: 1 },
      surge: 1,
    },
  }),
  fc.constantFrom('weekend', 'x'.repeat(253)),
);

/**
 * The part of a Node's schema that is read; names and statuses of conditions are any text to the
 * API server.
 */
const nodeSchema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        providerID: { type: 'string' },
        unschedulable: { type: 'boolean' },
        taints: { type: 'array', items: taintSchema() },
      },
    },
    status: {
      type: 'object',
      properties: {
        capacity: { type: 'object', additionalProperties: { type: 'string' } },
        conditions: { type: 'array', items: conditionSchema() },
      },
    },
  },
};

function taintSchema(): Schema {
  const key = { type: 'string', enum: [...Object.values(taints), 'a', 'b'] };
  const properties = { key, effect: { type: 'string' }, value: { type: 'string' } };
  return { type: 'object', required: ['key', 'effect'], properties };
}

function conditionSchema(): Schema {
  const text = { type: 'string' };
  const time = { type: 'string', format: 'date-time' };
  const times = { lastHeartbeatTime: time, lastTransitionTime: time };
  const properties = { type: text, status: text, reason: text, message: text, ...times };
  return { type: 'object', required: ['type', 'status'], properties };
}

export const nodes: fc.Arbitrary<Node> = fc
  .tuple(mostlyLike(nodeSchema, { ...aNode() }), metadataOf(machineName))
  .map(([fields, metadata]): Node => overTheWire({ ...Object(fields), kind: 'Node', metadata }));
