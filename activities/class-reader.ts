/** Reads MachineClasses and the Secrets that they name. */
import type { MachineClass } from '../workflows/api/machine-class.ts';
import type { KubeClient } from './kube/client.ts';
import { orUndefined } from './kube/optional.ts';
import { customResource, namespaced } from './kube/paths.ts';

export interface ClassWithSecret {
  machineClass: MachineClass;
  /** Decoded data of `secretRef`, overlaid by `credentialsSecretRef`, as in MCM v0.62.1. Never leaves the process. */
  secret: Record<string, string>;
  /** Referred to, but not there. */
  missingSecrets: string[];
}

export type SecretRefs = Pick<MachineClass, 'secretRef' | 'credentialsSecretRef'>;

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

/** Of the Secrets that the class names. */
export async function readSecretsOf(
  client: KubeClient,
  namespace: string,
  { secretRef, credentialsSecretRef }: SecretRefs,
): Promise<Pick<ClassWithSecret, 'secret' | 'missingSecrets'>> {
  const secret: Record<string, string> = {};
  const missingSecrets: string[] = [];
  for (const ref of [secretRef, credentialsSecretRef]) {
    if (ref?.name === undefined || ref.name === '') continue;
    const data = await readSecret(client, namespace, ref.name);
    if (data) Object.assign(secret, data);
    else missingSecrets.push(ref.name);
  }
  return { secret, missingSecrets };
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
