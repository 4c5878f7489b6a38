/**
 * Our CRDs on a real API server, under a group of their own: nothing that runs there sees them, and
 * whatever a test does to them hurts nobody. They go, with their objects, when the test is done.
 */
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import type { Call } from '../../../kube/client/http-client.ts';
import { requestOf } from '../../../kube/client/http-client.ts';
import { KubeError, errorOfAnswer } from '../../../kube/client/errors.ts';
import { loadKubeConfig } from '../../../kube/client/kubeconfig.ts';
import { ignoreNotFound } from '../../../kube/client/ignore.ts';
import { createTransport } from '../../../kube/client/transport.ts';
import { eventually } from '../../support/eventually.ts';

export interface Schema {
  [keyword: string]: unknown;
}

export interface Crd {
  metadata: { name: string };
  spec: {
    group: string;
    names: { kind: string; plural: string };
    versions: [{ schema: { openAPIV3Schema: Schema } }];
  };
}

export interface AnyObject {
  kind: string;
  metadata: { name: string; annotations?: Readonly<Record<string, string>> };
  status?: unknown;
}

interface Connection {
  send(call: Call): Promise<unknown>;
  close(): Promise<void>;
}

const crdFolder = new URL('../../../deploy/crds/', import.meta.url);
const crdsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Where the stack has not put the example's Secret already. */
const secretsNamespace = 'kube-public';

export class ScratchCrds {
  #crds: Crd[];
  readonly group: string;
  readonly #connection: Connection;

  private constructor(crds: Crd[], group: string, connection: Connection) {
    this.#crds = crds;
    this.group = group;
    this.#connection = connection;
  }

  /**
   * `kubeConfigFile`: an administrator's, of any API server. `change` makes e.g. CRDs without our
   * rules. `texts`: the manifests; default those of deploy/crds.
   */
  static async install(
    kubeConfigFile: string,
    change: (schema: Schema) => Schema = (schema) => schema,
    texts?: readonly string[],
  ): Promise<ScratchCrds> {
    const group = `t${randomBytes(4).toString('hex')}.millwright.test`;
    const crds = crdsIn(texts ?? (await presentTexts()), group);
    const scratch = new ScratchCrds(crds, group, connect(kubeConfigFile));
    try {
      await Promise.all(scratch.#crds.map((crd) => scratch.#install(withSchema(crd, change))));
      return scratch;
    } catch (error) {
      await scratch.remove();
      throw error;
    }
  }

  async #install(crd: Crd): Promise<void> {
    await this.#connection.send({ method: 'POST', path: crdsPath, body: crd });
    const path = this.pathOf(crd.spec.names.kind);
    await eventually('the CRDs are served', () =>
      this.#connection.send({ method: 'GET', path }).then(() => true, isNotServedYet),
    );
  }

  /** The schemas of deploy/crds take the place of the changed ones. */
  async restore(): Promise<void> {
    for (const { metadata, spec } of this.#crds) {
      await this.#connection.send({
        method: 'PATCH',
        path: `${crdsPath}/${metadata.name}`,
        contentType: 'application/merge-patch+json',
        body: { spec: { versions: spec.versions } },
      });
    }
    const bad = { kind: 'MachineSet', metadata: { name: 'never-stored' }, spec: {} };
    await eventually('the CRDs are served', async () => (await this.refusalsOf(bad)).length > 0);
  }

  /** As `kubectl apply --server-side --force-conflicts` of deploy/crds. Returns their schemas. */
  async upgrade(): Promise<Schema[]> {
    const crds = crdsIn(await presentTexts(), this.group);
    this.#crds = crds;
    for (const crd of crds) {
      await this.#connection.send({
        method: 'PATCH',
        path: `${crdsPath}/${crd.metadata.name}`,
        query: { fieldManager: 'kubectl', force: 'true' },
        contentType: 'application/apply-patch+yaml',
        body: crd,
      });
    }
    return crds.map(({ spec }) => spec.versions[0].schema.openAPIV3Schema);
  }

  /** Of the CRDs as the API server has them, in the order of `upgrade`. */
  async schemas(): Promise<Schema[]> {
    const crds = crdsIn(await presentTexts(), this.group);
    return await Promise.all(
      crds.map(async ({ metadata }) => {
        const path = `${crdsPath}/${metadata.name}`;
        const found = await this.#connection.send({ method: 'GET', path });
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        return (found as Crd).spec.versions[0].schema.openAPIV3Schema;
      }),
    );
  }

  /**
   * All that the API server says against the object, a line a field, sorted; empty when it would
   * store it.
   */
  async refusalsOf(object: AnyObject): Promise<string[]> {
    return await refusals(
      this.#connection.send({
        method: 'POST',
        path: this.pathOf(object.kind),
        query: { dryRun: 'All', fieldValidation: 'Strict' },
        body: this.#moved(object),
      }),
    );
  }

  /** Stores the object, then its status as a controller would. */
  async create(object: AnyObject): Promise<void> {
    const path = this.pathOf(object.kind);
    await this.#connection.send({ method: 'POST', path, body: this.#moved(object) });
    if (object.status !== undefined) {
      await this.patch(object, { status: object.status }, 'status');
    }
  }

  async patch(object: AnyObject, body: object, subresource?: 'status'): Promise<void> {
    const path = `${this.pathOf(object.kind)}/${object.metadata.name}`;
    await this.#connection.send({
      method: 'PATCH',
      path: subresource ? `${path}/${subresource}` : path,
      contentType: 'application/merge-patch+json',
      body,
    });
  }

  /** Any other call, as the administrator. */
  async send(call: Call): Promise<unknown> {
    return await this.#connection.send(call);
  }

  async remove(): Promise<void> {
    for (const { metadata } of this.#crds) {
      await ignoreNotFound(
        this.#connection.send({ method: 'DELETE', path: `${crdsPath}/${metadata.name}` }),
      );
    }
    await this.#connection.close();
  }

  /** Of all objects of a kind. */
  pathOf(kind: string): string {
    const plural = this.#crds.find(({ spec }) => spec.names.kind === kind)?.spec.names.plural;
    return plural === undefined
      ? `/api/v1/namespaces/${secretsNamespace}/${kind.toLowerCase()}s`
      : `/apis/${this.group}/v1alpha1/namespaces/default/${plural}`;
  }

  #moved(object: AnyObject): object {
    const isOurs = this.#crds.some(({ spec }) => spec.names.kind === object.kind);
    const { status: _, ...rest } = object;
    const namespace = isOurs ? 'default' : secretsNamespace;
    const metadata = { ...object.metadata, namespace };
    return { ...rest, metadata, apiVersion: isOurs ? `${this.group}/v1alpha1` : 'v1' };
  }
}

/** What refuses, in the form `<field>: <message>`; other failures are thrown. */
export async function refusals(call: Promise<unknown>): Promise<string[]> {
  try {
    await call;
    return [];
  } catch (error) {
    if (!(error instanceof KubeError) || error.details.causes === undefined) throw error;
    return error.details.causes
      .filter(({ message = '' }) => !message.includes(unfinished))
      .map(({ field = '', message }) => `${field.replace(/^\./, '')}: ${message}`)
      .toSorted();
  }
}

/** Said beside what the plain schema refuses. */
const unfinished = 'some validation rules were not checked';

async function presentTexts(): Promise<string[]> {
  const files = (await readdir(crdFolder)).filter((file) => file.endsWith('.yaml'));
  return await Promise.all(files.map((file) => readFile(new URL(file, crdFolder), 'utf8')));
}

function crdsIn(texts: readonly string[], group: string): Crd[] {
  return texts.map((text): Crd => {
    const present: Crd = parse(text);
    // Annotations and examples name the group too.
    return parse(text.replaceAll(present.spec.group, group));
  });
}

function withSchema(crd: Crd, change: (schema: Schema) => Schema): Crd {
  const [version] = crd.spec.versions;
  const schema = { openAPIV3Schema: change(version.schema.openAPIV3Schema) };
  return { ...crd, spec: { ...crd.spec, versions: [{ ...version, schema }] } };
}

function connect(kubeConfigFile: string): Connection {
  const kubeConfig = loadKubeConfig(kubeConfigFile);
  const transport = createTransport({ kubeConfig, userAgent: 'millwright-test' });
  return {
    async send(call) {
      const { signal } = new AbortController();
      const response = await transport.send({ ...requestOf(call), signal, pool: 'calls' });
      const text = await response.body.text();
      const { method, path } = call;
      if (response.statusCode < 300) return JSON.parse(text);
      throw errorOfAnswer({ method, path, code: response.statusCode, text });
    },
    close: () => transport.close(),
  };
}

/**
 * A new kind is not found at first; then, after each change of its schema, its storage is made anew
 * (429).
 */
function isNotServedYet(error: unknown): boolean {
  if (error instanceof KubeError && [404, 429].includes(error.code)) return false;
  throw error;
}
