/**
 * Where a cloud has to be listed to see all instances of some classes: once for each credential and
 * scope, not for each class.
 */
import { createHash } from 'node:crypto';
import type { MachineClass } from '../../../workflows/api/machine-class.ts';
import { readSecretsOf, type ClassWithSecret } from '../../machine-class/reader.ts';
import { DriverError, type Driver, type ListedInstance } from '../../drivers/driver.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { customResource } from '../../../kube/client/paths.ts';

export interface ListScope {
  /** In the order of names; at least one. */
  classes: [MachineClass, ...MachineClass[]];
  /** Never leaves the process. */
  secret: Record<string, string>;
  /** Such a scope is not listed. */
  secretFaults: string[];
}

type Secrets = Pick<ClassWithSecret, 'secret' | 'secretFaults'>;

export interface ListDependencies {
  driver: Pick<Driver, 'listInstances' | 'listScope'>;
  control: KubeClient;
  /** Aborts the listings. */
  signal(): AbortSignal;
}

export interface Account {
  namespace: string;
  cluster: string;
  provider: string;
}

export async function listScopes(
  { control, driver }: ListDependencies,
  { namespace, provider }: Account,
): Promise<ListScope[]> {
  const { items } = await control.list<MachineClass>(customResource('machineclasses', namespace));
  const classes = items.filter((machineClass) => machineClass.provider === provider);
  const scopes = new Map<string, ListScope>();
  const read = new Map<string, Secrets>();
  for (const machineClass of classes.toSorted((a, b) =>
    a.metadata.name < b.metadata.name ? -1 : 1,
  )) {
    const names = JSON.stringify([machineClass.secretRef, machineClass.credentialsSecretRef]);
    const secrets = read.get(names) ?? (await readSecretsOf(control, namespace, machineClass));
    read.set(names, secrets);
    const key = `${credentialOf(secrets)} ${scopeOf(driver, machineClass)}`;
    const scope = scopes.get(key);
    if (scope) scope.classes.push(machineClass);
    else scopes.set(key, { classes: [machineClass], ...secrets });
  }
  return [...scopes.values()];
}

/** A class that its driver cannot read has a scope of its own, so that the others are listed. */
function scopeOf(
  { listScope }: Pick<Driver, 'listScope'>,
  { metadata, providerSpec }: MachineClass,
): string {
  try {
    return listScope(providerSpec);
  } catch {
    return `MachineClass ${metadata.name}`;
  }
}

export interface Listing {
  scope: ListScope;
  instances: ListedInstance[];
  /** Why there are none. */
  error?: string;
  /** Because the cloud refuses the credentials. */
  isRefused?: true;
}

/** A scope that cannot be listed does not hide the others. */
export async function listIn(
  { driver, signal }: ListDependencies,
  scope: ListScope,
  { cluster, namespace }: Account,
): Promise<Listing> {
  const { classes, secret, secretFaults } = scope;
  if (secretFaults.length > 0) return { scope, instances: [], error: secretFaults.join('; ') };
  const { providerSpec } = classes[0];
  try {
    const request = { cluster, namespace, providerSpec, secret, signal: signal() };
    return { scope, instances: await driver.listInstances(request) };
  } catch (error) {
    const { code, message, kind } = asDriverError(error);
    const isRefused = kind === 'credentials';
    const why = `${code}: ${message}`;
    return { scope, instances: [], error: why, ...(isRefused && { isRefused }) };
  }
}

/** A bug that one class uncovers is reported with its scope, like what a cloud refuses. */
function asDriverError(error: unknown): Pick<DriverError, 'code' | 'message' | 'kind'> {
  if (error instanceof DriverError) return error;
  const message = error instanceof Error ? error.message : 'the driver threw no error';
  return { code: 'Internal', message, kind: undefined };
}

/** User data differs from pool to pool and gives no access to the cloud. */
function credentialOf({ secret, secretFaults }: Secrets): string {
  const parts = Object.entries(secret)
    .filter(([name]) => name !== 'userData')
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([parts, secretFaults]))
    .digest('hex');
}
