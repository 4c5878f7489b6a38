/** Reads MachineClasses and the Secrets that they name. */
import { isUtf8 } from 'node:buffer';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { SecretRefs } from '../../workflows/api/secret-refs.ts';
import { secretNamespaceFaults, ownSecretsOf } from '../../workflows/api/secret-refs.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { customResource, namespaced } from '../../kube/client/paths.ts';
import {
  asksForUserData,
  readClassUserData,
  type ClassUserData,
} from '../user-data/class-user-data.ts';
import type { UserData } from './user-data.ts';
import { after } from '../system/system.ts';

export interface ClassWithSecret {
  machineClass: MachineClass;
  /**
   * Decoded data of `secretRef`, overlaid by `credentialsSecretRef`, as in MCM v0.62.1. Never
   * leaves the process.
   */
  secret: Record<string, string>;
  /**
   * Values that are not UTF-8, as they are; in `secret` they are unusable. Absent: there are none.
   */
  binary?: Record<string, Uint8Array>;
  /** A sentence for each Secret that is not there or must not be read. */
  secretFaults: string[];
  /**
   * What the annotations of the class ask for, read at the first call: a deletion needs none of it.
   * Absent: the user data are those of the Secret.
   */
  userData?: () => Promise<ClassUserData>;
}

export interface ClassReader {
  /**
   * Undefined when there is no such class. `isFresh`: whatever was read before is not good enough.
   */
  read(name: string, options: { isFresh: boolean }): Promise<ClassWithSecret | undefined>;
}

/**
 * A hundred machines that start together read their class once. No longer: what is kept are decoded
 * credentials.
 */
const cacheMilliseconds = 500;

/** Called with what was read of Secrets, decoded: it must not stand in a log. */
type OnSecret = (secret: Readonly<Record<string, string>>) => void;

export function createClassReader({
  client,
  namespace,
  onSecret,
}: {
  client: KubeClient;
  namespace: string;
  onSecret?: OnSecret;
}): ClassReader {
  const cache = new Map<string, Promise<ClassWithSecret | undefined>>();

  function remember(name: string): Promise<ClassWithSecret | undefined> {
    const value = readClass({ client, namespace, onSecret }, name);
    cache.set(name, value);
    const forget = (): void => {
      if (cache.get(name) === value) cache.delete(name);
    };
    after(cacheMilliseconds, forget, { keepsAlive: false });
    // A failed or empty read is not remembered: the next asker reads again.
    value.then((found) => (found ? onSecret?.(found.secret) : forget()), forget);
    return value;
  }

  return {
    async read(name, { isFresh }) {
      const cached = isFresh ? undefined : cache.get(name);
      return await (cached ?? remember(name));
    },
  };
}

async function readClass(
  {
    client,
    namespace,
    onSecret,
  }: { client: KubeClient; namespace: string; onSecret?: OnSecret | undefined },
  name: string,
): Promise<ClassWithSecret | undefined> {
  const machineClass = await ignoreNotFound(
    client.get<MachineClass>(customResource('machineclasses', namespace, name)),
  );
  if (!machineClass) return undefined;
  const read = { machineClass, ...(await readSecretsOf(client, namespace, machineClass)) };
  if (!asksForUserData(machineClass)) return read;
  const userData = once(async () => {
    const asked = await readClassUserData({ client, namespace }, machineClass);
    // Under a key whose values are hidden: in the Secret their keys may be any.
    Object.values(asked.secrets)
      .flatMap((secret) => Object.values(secret))
      .forEach((value) => onSecret?.({ userData: value }));
    return asked;
  });
  return { ...read, userData };
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => (answer ??= read());
}

/** Reads the Secrets that the class names in its own namespace; those of others are not read. */
export async function readSecretsOf(
  client: KubeClient,
  namespace: string,
  refs: SecretRefs,
): Promise<Pick<ClassWithSecret, 'secret' | 'binary' | 'secretFaults'>> {
  const data = new Map<string, Buffer>();
  const secretFaults = secretNamespaceFaults(refs, namespace);
  for (const { field, name } of ownSecretsOf(refs, namespace)) {
    const read = await readSecret(client, namespace, name);
    if (!read)
      secretFaults.push(`${field}.name: Secret "${name}" does not exist in namespace ${namespace}`);
    for (const [key, value] of read ?? []) data.set(key, value);
  }
  return { ...decoded(data), secretFaults };
}

function decoded(data: ReadonlyMap<string, Buffer>): Pick<ClassWithSecret, 'secret' | 'binary'> {
  const texts = [...data].map(([key, value]) => [key, value.toString('utf8')] as const);
  const bytes = [...data].filter(([, value]) => !isUtf8(value));
  return {
    secret: Object.fromEntries(texts),
    ...(bytes.length > 0 && { binary: Object.fromEntries(bytes) }),
  };
}

/** User data with which machines of the class begin. Undefined: the Secret has no such key. */
export function userDataIn({
  secret,
  binary,
}: Pick<ClassWithSecret, 'secret' | 'binary'>): UserData | undefined {
  return binary?.['userData'] ?? secret['userData'];
}

interface Secret {
  data?: Record<string, string>;
}

async function readSecret(
  client: KubeClient,
  namespace: string,
  name: string,
): Promise<[string, Buffer][] | undefined> {
  const secret = await ignoreNotFound(client.get<Secret>(namespaced('secrets', namespace, name)));
  if (!secret) return undefined;
  return Object.entries(secret.data ?? {}).map(([key, value]) => [
    key,
    Buffer.from(value, 'base64'),
  ]);
}
