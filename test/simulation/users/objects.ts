/** Manifests, as users write them. All are valid by deploy/crds. */
import { apiVersion } from '../../../workflows/api/constants.ts';
import { longestLabelValue } from '../../../workflows/api/validation.ts';
import type { Body } from '../../support/api-server/creation.ts';
import { base64 } from '../../support/builders.ts';
import type { Chance } from '../engine/chance.ts';

/** In every value of every Secret: what contains it elsewhere has given a secret away. */
export const secretMarker = 's3cr3t-';
export const userDataSecret = 'user-data';
export const credentialsSecret = 'credentials';
/** Label that each template has, with the name of its deployment or set, or its beginning. */
export const poolLabel = 'pool';

export function labelsOf(pool: string): Record<string, string> {
  return { [poolLabel]: pool.slice(0, longestLabelValue) };
}

const zones = ['a', 'b'] as const;
const sizes = ['small', 'medium', 'large'] as const;

interface Named {
  namespace: string;
  name: string;
}

/** @returns Both Secrets of a namespace, each time with other values. */
export function secretBody({ namespace, name }: Named, chance: Chance): Body {
  const word = `${secretMarker}${chance.uuid()}`;
  const token = chance.happens(0.5) ? 'token: <<BOOTSTRAP_TOKEN>>\n' : '';
  const userData = `#cloud-config\nhostname: <<MACHINE_NAME>>\n${token}password: ${word}\n`;
  const texts = name === userDataSecret ? { userData } : { user: word, password: word };
  const data = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, base64(text)]));
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, type: 'Opaque', data };
}

export function classBody({ namespace, name }: Named, chance: Chance): Body {
  const nodeTemplate = {
    capacity: { cpu: '2', gpu: '0', memory: '4Gi' },
    instanceType: 'small',
    region: 'here',
    zone: chance.pick(zones),
    ...(chance.happens(0.3) && { virtualCapacity: { 'example.com/licences': '1' } }),
  };
  return {
    apiVersion,
    kind: 'MachineClass',
    metadata: { name, namespace },
    provider: 'virtual',
    providerSpec: providerSpec(chance),
    secretRef: { name: userDataSecret, namespace },
    ...(chance.happens(0.5) && { credentialsSecretRef: { name: credentialsSecret, namespace } }),
    ...(chance.happens(0.5) && { nodeTemplate }),
  };
}

export function providerSpec(chance: Chance): object {
  const taint = { key: 'example.com/of-class', value: 'x', effect: 'PreferNoSchedule' };
  return {
    ...(chance.happens(0.8) && { size: chance.pick(sizes) }),
    ...(chance.happens(0.5) && { zone: chance.pick(zones) }),
    ...(chance.happens(0.3) && { tags: { team: chance.pick(['red', 'blue']) } }),
    ...(chance.happens(0.2) && { labels: { 'example.com/of-class': chance.pick(['1', '2']) } }),
    ...(chance.happens(0.2) && { taints: [taint] }),
    ...(chance.happens(0.35) && { needsInitialization: true }),
  };
}

export interface Pool extends Named {
  replicas: number;
  className: string;
}

export function deploymentBody(pool: Pool, chance: Chance): Body {
  const { namespace, name, replicas } = pool;
  return {
    apiVersion,
    kind: 'MachineDeployment',
    // Policies select by it.
    metadata: { name, namespace, labels: labelsOf(name) },
    spec: {
      replicas,
      strategy: strategyOf(chance),
      selector: { matchLabels: labelsOf(name) },
      template: templateOf(pool, chance),
      ...(chance.happens(0.3) && { minReadySeconds: 30 }),
      ...(chance.happens(0.5) && { revisionHistoryLimit: chance.pick([0, 1, 3]) }),
      ...(chance.happens(0.4) && { progressDeadlineSeconds: chance.pick([120, 300, 900]) }),
      ...(chance.happens(0.2) && { autoPreserveFailedMachineMax: 1 }),
    },
  };
}

const amounts = [0, 1, 2, '20%', '50%'] as const;

export function strategyOf(chance: Chance): object {
  if (chance.happens(0.2)) return { type: 'Recreate' };
  const rollingUpdate = { maxSurge: chance.pick(amounts), maxUnavailable: chance.pick(amounts) };
  return { type: 'RollingUpdate', rollingUpdate };
}

export function setBody(pool: Pool, chance: Chance): Body {
  const { namespace, name, replicas } = pool;
  return {
    apiVersion,
    kind: 'MachineSet',
    metadata: { name, namespace },
    spec: {
      replicas,
      selector: { matchLabels: labelsOf(name) },
      template: templateOf(pool, chance),
    },
  };
}

export function machineBody(
  { namespace, name, className }: Named & { className: string },
  chance: Chance,
): Body {
  return {
    apiVersion,
    kind: 'Machine',
    metadata: { name, namespace },
    spec: { class: { kind: 'MachineClass', name: className }, ...limitsOf(chance) },
  };
}

function templateOf({ name, className }: Pool, chance: Chance): object {
  const labels = labelsOf(name);
  const value = labels[poolLabel];
  const taints = [{ key: 'example.com/of-pool', value, effect: 'PreferNoSchedule' }];
  const nodeTemplate = {
    metadata: { labels: { 'example.com/pool': value }, annotations: { 'example.com/team': 'a' } },
    spec: { taints },
  };
  return {
    metadata: { labels },
    spec: {
      class: { kind: 'MachineClass', name: className },
      ...limitsOf(chance),
      ...(chance.happens(0.5) && { nodeTemplate }),
    },
  };
}

/** Short ones, on some: hours are too long for a simulation. */
export function limitsOf(chance: Chance): Record<string, unknown> {
  return {
    ...(chance.happens(0.3) && { creationTimeout: chance.pick(['3m', '5m', '10m']) }),
    ...(chance.happens(0.3) && { healthTimeout: chance.pick(['1m', '2m30s', '5m']) }),
    ...(chance.happens(0.4) && { drainTimeout: chance.pick(['2m', '5m', '10m']) }),
    ...(chance.happens(0.3) && { maxEvictRetries: chance.pick([1, 3, 10]) }),
    ...(chance.happens(0.5) && { machinePreserveTimeout: chance.pick(['5m', '15m']) }),
    ...(chance.happens(0.1) && { nodeConditions: 'KernelDeadlock,DiskPressure' }),
  };
}
