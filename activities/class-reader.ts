/** Reads MachineClasses and the Secrets that they name. */
import type { MachineClass } from '../workflows/api/machine-class.ts';
import type { SecretRefs } from '../workflows/api/secret-refs.ts';
import { foreignSecretFaults, ownSecretsOf } from '../workflows/api/secret-refs.ts';
import type { KubeClient } from './kube/client.ts';
import { orUndefined } from './kube/optional.ts';
import { customResource, namespaced } from './kube/paths.ts';

export interface ClassWithSecret {
  machineClass: MachineClass;
  /** Decoded data of `secretRef`, overlaid by `credentialsSecretRef`, as in MCM v0.62.1. Never leaves the process. */
  secret: Record<string, string>;
  /** A sentence for each Secret that is not there or must not be read. */
  secretFaults: string[];
}

export interface ClassReader {
  /** Undefined when there is no such class. `isFresh`: whatever was read before is not good enough. */
  read(name: string, options: { isFresh: boolean }): Promise<ClassWithSecret | undefined>;
}

/** A hundred machines that start together read their class once. */
const cacheMilliseconds = 500;

interface Cached {
  readAt: number;
  value: Promise<ClassWithSecret | undefined>;
}

export function createClassReader({
  client,
  namespace,
}: {
  client: KubeClient;
  namespace: string;
}): ClassReader {
  const cache = new Map<string, Cached>();

  function remember(name: string): Promise<ClassWithSecret | undefined> {
    const value = readClass(client, namespace, name);
    cache.set(name, { readAt: performance.now(), value });
    const forget = (): void => {
      if (cache.get(name)?.value === value) cache.delete(name);
    };
    // A failed or empty read is not remembered: the next asker looks again.
    value.then((found) => found ?? forget(), forget);
    return value;
  }

  return {
    async read(name, { isFresh }) {
      const cached = cache.get(name);
      const age = cached ? performance.now() - cached.readAt : Infinity;
      if (cached && !isFresh && age < cacheMilliseconds) return await cached.value;
      return await remember(name);
    },
  };
}

async function readClass(
  client: KubeClient,
  namespace: string,
  name: string,
): Promise<ClassWithSecret | undefined> {
  const machineClass = await orUndefined(
    client.get<MachineClass>(customResource('machineclasses', namespace, name)),
  );
  if (!machineClass) return undefined;
  return { machineClass, ...(await readSecretsOf(client, namespace, machineClass)) };
}

/** Of the Secrets that the class names in its own namespace; those of others are not read. */
export async function readSecretsOf(
  client: KubeClient,
  namespace: string,
  refs: SecretRefs,
): Promise<Pick<ClassWithSecret, 'secret' | 'secretFaults'>> {
  const secret: Record<string, string> = {};
  const secretFaults = foreignSecretFaults(refs, namespace);
  for (const { field, name } of ownSecretsOf(refs, namespace)) {
    const data = await readSecret(client, namespace, name);
    if (data) Object.assign(secret, data);
    else
      secretFaults.push(`${field}.name: Secret "${name}" does not exist in namespace ${namespace}`);
  }
  return { secret, secretFaults };
}

interface Secret {
  data?: Record<string, string>;
}

async function readSecret(
  client: KubeClient,
  namespace: string,
  name: string,
): Promise<Record<string, string> | undefined> {
  const secret = await orUndefined(client.get<Secret>(namespaced('secrets', namespace, name)));
  if (!secret) return undefined;
  return Object.fromEntries(
    Object.entries(secret.data ?? {}).map(([key, value]) => [
      key,
      Buffer.from(value, 'base64').toString('utf8'),
    ]),
  );
}
