/** Where a cloud has to be listed to see all instances of some classes: once for each credential and scope, not for each class. */
import { createHash } from 'node:crypto';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { ClassWithSecret } from '../class-reader.ts';
import { readSecretsOf } from '../class-reader.ts';
import type { Driver } from '../drivers/driver.ts';
import type { KubeClient } from '../kube/client.ts';

export interface ListScope {
  /** The first in the order of names. */
  machineClass: MachineClass;
  classCount: number;
  /** Never leaves the process. */
  secret: Record<string, string>;
  missingSecrets: string[];
}

type Secrets = Pick<ClassWithSecret, 'secret' | 'missingSecrets'>;

export async function listScopes(
  control: KubeClient,
  driver: Pick<Driver, 'listScope'>,
  { namespace, classes }: { namespace: string; classes: readonly MachineClass[] },
): Promise<ListScope[]> {
  const scopes = new Map<string, ListScope>();
  const read = new Map<string, Secrets>();
  for (const machineClass of classes.toSorted(byName)) {
    const names = namesOf(machineClass);
    const secrets = read.get(names) ?? (await readSecretsOf(control, namespace, machineClass));
    read.set(names, secrets);
    const key = `${credentialOf(secrets)} ${driver.listScope(machineClass.providerSpec)}`;
    const scope = scopes.get(key);
    if (scope) scope.classCount += 1;
    else scopes.set(key, { machineClass, classCount: 1, ...secrets });
  }
  return [...scopes.values()];
}

function namesOf({ secretRef, credentialsSecretRef }: MachineClass): string {
  return `${secretRef?.name ?? ''} ${credentialsSecretRef?.name ?? ''}`;
}

/** User data differs from pool to pool and lets nobody into the cloud. */
function credentialOf({ secret, missingSecrets }: Secrets): string {
  const parts = Object.entries(secret)
    .filter(([name]) => name !== 'userData')
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([parts, missingSecrets]))
    .digest('hex');
}

function byName(a: MachineClass, b: MachineClass): number {
  return a.metadata.name < b.metadata.name ? -1 : 1;
}
