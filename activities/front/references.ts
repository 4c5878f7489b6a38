/** Values of `cloudProviderSpec` that stand in Secrets and ConfigMaps. */
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import { isForbidden, isNotFound } from '../../kube/client/errors.ts';
import { namespaced } from '../../kube/client/paths.ts';
import { isRecord } from '../../workflows/values/is-record.ts';

export interface ReadFields {
  spec: Record<string, unknown>;
  /** A sentence each; no value. */
  faults: string[];
  /** Values of Secrets, which no sentence may have. */
  secrets: Set<string>;
}

/** `value`, `secretKeyRef` and `configMapKeyRef` are how machine-controller says where it is. */
const referenceKeys = new Set(['value', 'secretKeyRef', 'configMapKeyRef']);

type Source = { resource: 'secrets' | 'configmaps'; kind: 'Secret' | 'ConfigMap' };
const sources: Readonly<Record<string, Source>> = {
  secretKeyRef: { resource: 'secrets', kind: 'Secret' },
  configMapKeyRef: { resource: 'configmaps', kind: 'ConfigMap' },
};

interface WithData extends KubeObject {
  data?: Record<string, string>;
}

/** One for each pass: an object that several fields name is read once. */
export class ReferenceReader {
  readonly #control: KubeClient;
  readonly #read = new Map<string, Promise<WithData | string>>();

  constructor(control: KubeClient) {
    this.#control = control;
  }

  async resolve(spec: Record<string, unknown>): Promise<ReadFields> {
    const resolved: ReadFields = { spec: {}, faults: [], secrets: new Set() };
    for (const [key, value] of Object.entries(spec)) {
      resolved.spec[key] = await this.#valueOf(value, `cloudProviderSpec.${key}`, resolved);
    }
    return resolved;
  }

  async #valueOf(value: unknown, at: string, resolved: ReadFields): Promise<unknown> {
    if (Array.isArray(value)) {
      return await Promise.all(
        value.map(async (item, index) => await this.#valueOf(item, `${at}[${index}]`, resolved)),
      );
    }
    if (!isRecord(value)) return value;
    const keys = Object.keys(value);
    if (keys.length > 0 && keys.every((key) => referenceKeys.has(key))) {
      return await this.#referred(value, at, resolved);
    }
    const made: Record<string, unknown> = {};
    for (const key of keys) made[key] = await this.#valueOf(value[key], `${at}.${key}`, resolved);
    return made;
  }

  /** A reference that is not whole counts as none, as with machine-controller. */
  async #referred(
    field: Record<string, unknown>,
    at: string,
    resolved: ReadFields,
  ): Promise<unknown> {
    for (const [name, source] of Object.entries(sources)) {
      const reference = field[name];
      if (!isWhole(reference)) continue;
      const found = await this.#object(source, reference);
      if (typeof found === 'string') {
        resolved.faults.push(`${at}.${name}: ${found}`);
        return undefined;
      }
      const data = Object.hasOwn(found.data ?? {}, reference.key)
        ? found.data?.[reference.key]
        : undefined;
      if (data === undefined) {
        const where = `${source.kind} ${reference.namespace}/${reference.name}`;
        resolved.faults.push(`${at}.${name}: ${where} has no key "${reference.key}"`);
        return undefined;
      }
      if (source.kind === 'ConfigMap') return data;
      const text = Buffer.from(data, 'base64').toString('utf8');
      resolved.secrets.add(text);
      return text;
    }
    return field['value'];
  }

  async #object({ resource, kind }: Source, reference: Reference): Promise<WithData | string> {
    const { namespace, name } = reference;
    const path = namespaced(resource, namespace, name);
    const known = this.#read.get(path);
    if (known) return await known;
    const read = this.#control.get<WithData>(path).catch((error: unknown) => {
      if (isNotFound(error)) return `${kind} ${namespace}/${name} does not exist`;
      if (isForbidden(error)) return `${kind} ${namespace}/${name} may not be read by the front`;
      throw error;
    });
    this.#read.set(path, read);
    return await read;
  }
}

interface Reference {
  namespace: string;
  name: string;
  key: string;
}

function isWhole(value: unknown): value is Reference {
  return (
    isRecord(value) &&
    [value['namespace'], value['name'], value['key']].every(
      (part) => typeof part === 'string' && part !== '',
    )
  );
}
