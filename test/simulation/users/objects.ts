/** The objects that users begin with. */
import { apiVersion } from '../../../workflows/api/constants.ts';
import type { Body } from '../../support/api-server/creation.ts';
import type { Chance } from '../engine/chance.ts';
import type { Install } from '../world/world.ts';
import type { Administrator } from './administrator.ts';

/** In every value of every Secret: what contains it elsewhere has given a secret away. */
export const secretMarker = 's3cr3t-';
export const classNames = ['small', 'medium'] as const;

export function secretOf({ namespace }: Install): Body {
  const userData = `#cloud-config\nhostname: <<MACHINE_NAME>>\n# ${secretMarker}user-data\n`;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'cloud', namespace },
    data: {
      userData: Buffer.from(userData).toString('base64'),
      password: Buffer.from(`${secretMarker}password`).toString('base64'),
    },
  };
}

export function classOf({ namespace }: Install, name: string): Body {
  return {
    apiVersion,
    kind: 'MachineClass',
    metadata: { name, namespace },
    provider: 'virtual',
    providerSpec: { size: name },
    secretRef: { name: 'cloud', namespace },
  };
}

export function deploymentOf(
  { namespace }: Install,
  { name, replicas }: { name: string; replicas: number },
  chance: Chance,
): Body {
  const rolling = { maxSurge: chance.pick([1, 2, '30%']), maxUnavailable: chance.pick([0, 1]) };
  const strategy = chance.happens(0.8)
    ? { type: 'RollingUpdate', rollingUpdate: rolling }
    : { type: 'Recreate' };
  return {
    apiVersion,
    kind: 'MachineDeployment',
    metadata: { name, namespace },
    spec: {
      replicas,
      minReadySeconds: chance.pick([0, 0, 30]),
      strategy,
      selector: { matchLabels: { pool: name } },
      template: templateOf(name, 'small'),
    },
  };
}

export function setOf(
  { namespace }: Install,
  { name, replicas }: { name: string; replicas: number },
): Body {
  return {
    apiVersion,
    kind: 'MachineSet',
    metadata: { name, namespace },
    spec: {
      replicas,
      selector: { matchLabels: { pool: name } },
      template: templateOf(name, 'small'),
    },
  };
}

export function machineOf({ namespace }: Install, name: string): Body {
  return {
    apiVersion,
    kind: 'Machine',
    metadata: { name, namespace },
    spec: { class: { kind: 'MachineClass', name: 'small' } },
  };
}

function templateOf(pool: string, className: string): object {
  return {
    metadata: { labels: { pool } },
    spec: { class: { kind: 'MachineClass', name: className } },
  };
}

/** So many machines for an install, in deployments, a set and by themselves. */
export function setUp(
  install: Install,
  administrator: Administrator,
  { machines, chance }: { machines: number; chance: Chance },
): void {
  administrator.put(`/api/v1/namespaces/${install.namespace}/secrets`, secretOf(install));
  for (const name of classNames) administrator.create('machineclasses', classOf(install, name));
  const pools = Math.max(1, Math.min(4, Math.floor(machines / 5)));
  for (let pool = 1; pool <= pools; pool += 1) {
    const replicas = Math.max(1, Math.floor((machines * 0.8) / pools));
    const deployment = deploymentOf(install, { name: `pool-${pool}`, replicas }, chance);
    administrator.create('machinedeployments', deployment);
  }
  const single = { name: 'lone-set', replicas: Math.floor(machines * 0.15) };
  administrator.create('machinesets', setOf(install, single));
  administrator.create('machines', machineOf(install, 'lone-machine'));
}
