/** The kubeconfig of a namespace's target cluster, in Secrets of that namespace, as they change. */
import { Reflector } from '../../kube/cache/reflector.ts';
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import type { KubeConfig } from '../../kube/client/kubeconfig.ts';
import { kubeConfigOfSecret, longestKubeConfigInSecret } from '../../kube/client/kubeconfig.ts';
import { namespaced } from '../../kube/client/paths.ts';
import { orAborted } from '../../activities/system/or-aborted.ts';
import type { TargetSecret } from '../config/config.ts';
import { reasonOf } from '../log/reason.ts';

export interface TargetAccess {
  /** Its user is replaced when the Secrets bring other credentials for the same server. */
  kubeConfig: KubeConfig;
}

export interface TargetSecrets {
  /**
   * Access that the Secrets give now. Throws, in words for people, where they give none.
   *
   * @param report Called with why the Secrets cannot be read, while that lasts.
   */
  access(signal: AbortSignal, report: (reason: string) => void): Promise<TargetAccess>;
  /** Why what was handed out last is of no use any more; undefined: it is. */
  whyStale(): string | undefined;
  close(): Promise<void>;
}

export interface TargetSecretsOptions {
  /** Of the cluster with the Machines. */
  client: KubeClient;
  namespace: string;
  names: TargetSecret;
  isNamespaceDeleting(): boolean;
  /** Another kubeconfig, other credentials, or none any more. */
  onChange(): void;
}

interface SecretObject extends KubeObject {
  data?: Record<string, string>;
}

/** A Secret that is watched. */
interface Watched {
  name: string;
  key: string;
  reflector: Reflector<SecretObject, SecretView>;
}

interface SecretView {
  name: string;
  uid: string;
  resourceVersion: string;
  /** Of the key, in base64; of one that is too large, more than is allowed. */
  value: string | undefined;
}

/** While no attempt waits. */
const noListener: (reason: string) => void = () => undefined;

export function watchTargetSecrets(options: TargetSecretsOptions): TargetSecrets {
  const { namespace, names, isNamespaceDeleting } = options;
  let handedOut: TargetAccess | undefined;
  let listener = noListener;
  const onError = (error: unknown): void => {
    listener(`its kubeconfig cannot be read: ${reasonOf(error)}`);
  };
  const watch = (name: string, key: string): Watched => ({
    name,
    key,
    reflector: reflect({ name, key }, options, onError),
  });
  const kubeconfig = watch(names.name, 'kubeconfig');
  const token = names.tokenName === undefined ? undefined : watch(names.tokenName, 'token');
  const all = [kubeconfig, ...(token ? [token] : [])];

  function read(): KubeConfig {
    const text = valueOf(namespace, kubeconfig);
    const source = `key "kubeconfig" of Secret ${namespace}/${names.name}`;
    return kubeConfigOfSecret({
      text,
      source,
      ...(token && { token: valueOf(namespace, token).trim() }),
    });
  }

  /** Kubernetes deletes them with the namespace, whose Machines have to go before it. */
  function readOrLast(): KubeConfig {
    const isGone = all.some(({ name, reflector }) => !reflector.items.has(name));
    return handedOut && isGone && isNamespaceDeleting() ? handedOut.kubeConfig : read();
  }

  return {
    async access(signal, report) {
      listener = report;
      const synced = Promise.all(all.map(({ reflector }) => reflector.synced));
      await orAborted(synced, signal);
      listener = noListener;
      handedOut = { kubeConfig: readOrLast() };
      return handedOut;
    },
    whyStale() {
      if (!handedOut) return undefined;
      try {
        const next = readOrLast();
        const reason = otherCluster(next, handedOut.kubeConfig);
        if (reason === undefined) handedOut.kubeConfig.user = next.user;
        return reason;
      } catch (error) {
        return reasonOf(error);
      }
    },
    async close() {
      await Promise.all(all.map(({ reflector }) => reflector.stop()));
    },
  };
}

function reflect(
  { name, key }: Pick<Watched, 'name' | 'key'>,
  { client, namespace, onChange }: TargetSecretsOptions,
  onError: (error: unknown) => void,
) {
  return new Reflector({
    client,
    path: namespaced('secrets', namespace),
    query: { fieldSelector: `metadata.name=${name}` },
    transform: ({ metadata, data = {} }: SecretObject): SecretView => ({
      name: metadata.name,
      uid: metadata.uid,
      resourceVersion: metadata.resourceVersion,
      value: data[key]?.slice(0, 2 * longestKubeConfigInSecret),
    }),
    // A Secret that was deleted and made again is two changes: what is read comes after both.
    onChange: () => queueMicrotask(onChange),
    onError,
  });
}

function valueOf(namespace: string, { name, key, reflector }: Watched): string {
  const secret = reflector.items.get(name);
  const where = `Secret ${namespace}/${name}`;
  if (!secret) throw new Error(`${where} does not exist; it is to hold the key "${key}"`);
  if (secret.value === undefined) throw new Error(`${where} has no key "${key}"`);
  return Buffer.from(secret.value, 'base64').toString('utf8');
}

/** With another CA a server of the same name may be that of a cluster that was made anew. */
function otherCluster({ cluster: now }: KubeConfig, { cluster: before }: KubeConfig) {
  if (now.server !== before.server) return 'its kubeconfig names another server';
  if (JSON.stringify(now) === JSON.stringify(before)) return undefined;
  return 'its kubeconfig has another certificate authority, or another way to the server';
}
