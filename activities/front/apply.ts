/** Does the writes of a plan. */
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import {
  isAlreadyExists,
  isConflict,
  isNotFound,
  isRejectedWrite,
  KubeError,
} from '../../kube/client/errors.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import type {
  CreateWrite,
  DeleteWrite,
  PatchWrite,
  Write,
} from '../../workflows/plan/front/writes.ts';
import { defined } from '../../workflows/values/defined.ts';
import { pathOf } from './paths.ts';

export interface Applied {
  writes: number;
  /** What was not as it was read, for people: both sides are to be read again. */
  stale: string | undefined;
  /** What was refused, a sentence each. */
  refusals: string[];
}

export interface WrittenClusters {
  control: KubeClient;
  target: KubeClient | undefined;
  namespace: string;
}

/** Groups after the first are about different objects: so many at a time. */
const mostAtOnce = 8;

export async function applyPlan(
  clusters: WrittenClusters,
  [first = [], ...groups]: readonly Write[][],
): Promise<Applied> {
  const applied: Applied = { writes: 0, stale: undefined, refusals: [] };
  const writer = new Writer(clusters);
  await applyGroup(writer, first, applied);
  const left = groups.values();
  const worker = async (): Promise<void> => {
    for (const group of left) await applyGroup(writer, group, applied);
  };
  await Promise.all(Array.from({ length: mostAtOnce }, worker));
  return applied;
}

async function applyGroup(
  writer: Writer,
  group: readonly Write[],
  applied: Applied,
): Promise<void> {
  for (const write of group) {
    if (applied.stale !== undefined) return;
    try {
      await writer.write(write);
      applied.writes += 1;
    } catch (error) {
      if (isOutdated(error)) applied.stale = `${error.reason} on ${write.verb} ${nameOf(write)}`;
      else if (isRejectedWrite(error)) applied.refusals.push(refusalOf(write, error));
      else throw withoutBody(write, error);
      return;
    }
  }
}

function isOutdated(error: unknown): error is KubeError {
  return isConflict(error) || isAlreadyExists(error) || isNotFound(error);
}

class Writer {
  readonly #clusters: WrittenClusters;
  /** Of objects that this pass has written: path -> the version read, and that after our writes. */
  readonly #versions = new Map<string, { read: string; written: string }>();

  constructor(clusters: WrittenClusters) {
    this.#clusters = clusters;
  }

  async write(write: Write): Promise<void> {
    if (write.verb === 'create') await this.#create(write);
    else if (write.verb === 'patch') await this.#patch(write);
    else await this.#delete(write);
  }

  #client({ kind }: Pick<Write, 'kind'>): KubeClient {
    const { control, target } = this.#clusters;
    if (kind !== 'node') return control;
    if (!target) throw new Error('a Node is written, but there is no target cluster');
    return target;
  }

  #path({ kind, name }: Pick<Write, 'kind' | 'name'>): string {
    return pathOf(kind, this.#clusters.namespace, name);
  }

  async #create(write: CreateWrite): Promise<void> {
    const { kind, body } = write;
    const path = pathOf(kind, this.#clusters.namespace);
    try {
      await this.#client(write).create(path, body);
    } catch (error) {
      if (!isAlreadyExists(error) || !(await this.#repair(write))) throw error;
    }
  }

  /**
   * An object of this pool that a person took the label off, by which it is found: it gets its
   * labels back, and the next pass reads it.
   */
  async #repair({ kind, name, body }: CreateWrite): Promise<boolean> {
    const path = this.#path({ kind, name });
    const present = await ignoreNotFound(this.#clusters.control.get<KubeObject>(path));
    const wanted = body.metadata;
    const labels = Object.entries(wanted.labels ?? {});
    const left = labels.filter(([key, value]) => present?.metadata.labels?.[key] !== value);
    if (!present || left.length === 0 || !isSameOwner(wanted, present)) return false;
    const { uid, resourceVersion } = present.metadata;
    const metadata = { uid, resourceVersion, labels: Object.fromEntries(left) };
    await this.#clusters.control.patch(path, 'merge', { metadata });
    return true;
  }

  async #patch(write: PatchWrite): Promise<void> {
    const { read, body, status } = write;
    const path = this.#path(write);
    const known = this.#versions.get(path);
    const current = known?.read === read.resourceVersion ? known.written : read.resourceVersion;
    const preconditions =
      current === '' ? { uid: read.uid } : { uid: read.uid, resourceVersion: current };
    const metadata = { ...Object(body['metadata']), ...preconditions };
    const at = status ? `${path}/status` : path;
    const answer = await this.#client(write).patch<KubeObject>(at, 'merge', { ...body, metadata });
    const { resourceVersion: written } = answer.metadata;
    this.#versions.set(path, { read: read.resourceVersion, written });
  }

  async #delete({ kind, name, uid, version, orphans, strips }: DeleteWrite): Promise<void> {
    const { control } = this.#clusters;
    const path = this.#path({ kind, name });
    const options = orphans ? { propagationPolicy: 'Orphan' } : {};
    if (!strips) {
      const preconditions = defined({ uid, resourceVersion: version });
      const left = await ignoreNotFound(control.delete(path, { preconditions, ...options }));
      const written = left?.metadata?.resourceVersion;
      if (version && written) this.#versions.set(path, { read: version, written });
      return;
    }
    const { resourceVersion } = strips;
    const metadata = { uid, resourceVersion, finalizers: null };
    const stripped = await ignoreNotFound(control.patch<KubeObject>(path, 'merge', { metadata }));
    // One that was being deleted is gone by now.
    if (!stripped || stripped.metadata.deletionTimestamp !== undefined) return;
    const preconditions = { uid, resourceVersion: stripped.metadata.resourceVersion };
    await ignoreNotFound(control.delete(path, { preconditions, ...options }));
  }
}

function isSameOwner(wanted: CreateWrite['body']['metadata'], { metadata }: KubeObject): boolean {
  const [owner] = wanted.ownerReferences ?? [];
  return (
    owner !== undefined && (metadata.ownerReferences ?? []).some(({ uid }) => uid === owner.uid)
  );
}

/** The API server repeats fields of what it refuses: these objects may hold credentials. */
const secretKinds: ReadonlySet<string> = new Set([
  'secret',
  'theirDeployment',
  'theirSet',
  'theirMachine',
]);

function refusalOf(write: Write, { code, reason, details, message }: KubeError): string {
  const fields = (details.causes ?? [])
    .map(({ field }) => field ?? '')
    .filter((field) => field !== '');
  const why = secretKinds.has(write.kind)
    ? `${code} ${reason} ${fields.join(', ')}`.trim()
    : message;
  return `the API server refused to ${write.verb} ${nameOf(write)}: ${why}`;
}

const theirKinds: Partial<Record<Write['kind'], string>> = {
  theirDeployment: 'machinedeployment.cluster.k8s.io',
  theirSet: 'machineset.cluster.k8s.io',
  theirMachine: 'machine.cluster.k8s.io',
};

function nameOf({ kind, name }: Write): string {
  return `${theirKinds[kind] ?? kind.toLowerCase()} ${name}`;
}

function withoutBody(write: Write, error: unknown): unknown {
  if (!(error instanceof KubeError) || !secretKinds.has(write.kind)) return error;
  const { code, reason, method, path, retryAfterMs } = error;
  return new KubeError({ code, reason, method, path, retryAfterMs, message: 'see the API server' });
}
