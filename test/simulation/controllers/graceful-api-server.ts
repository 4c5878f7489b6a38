/** An API server that deletes pods as a real one does: their kubelet has the last word. */
import type { Body } from '../../support/api-server/creation.ts';
import { ApiServer } from '../../support/api-server/api-server.ts';
import { requirePreconditions } from '../../support/api-server/deletion.ts';
import type { DeleteOptions } from '../../support/api-server/deletion.ts';
import { targetOf } from '../../support/api-server/paths.ts';
import type { Target } from '../../support/api-server/paths.ts';
import type { Stored } from '../../support/api-server/store.ts';
import { isFinished } from './objects.ts';
import type { PodObject } from './objects.ts';

export class GracefulApiServer extends ApiServer {
  readonly #time: () => number;

  constructor({ now }: { now: () => number }) {
    super({ now });
    this.#time = now;
  }

  override delete(path: string, options: DeleteOptions = {}): object {
    const target = targetOf(path);
    const stored = target?.resource.kind === 'Pod' ? this.store.object(target) : undefined;
    if (!target || !stored) return super.delete(path, options);
    requirePreconditions(target, stored, options);
    return this.#deletePod(target, stored, options) ?? super.delete(path, options);
  }

  override create(path: string, body: Body): object {
    const target = targetOf(path);
    if (target?.subresource !== 'eviction') return super.create(path, body);
    const { deleteOptions } = body;
    return this.delete(path.replace(/\/eviction$/, ''), { ...Object(deleteOptions) });
  }

  /** Undefined: it goes at once. */
  #deletePod(target: Target, stored: Stored, options: DeleteOptions): object | undefined {
    const pod: PodObject = stored;
    const { deletionTimestamp, deletionGracePeriodSeconds: present } = pod.metadata;
    if (deletionTimestamp === undefined) {
      const seconds = graceOf(pod, options);
      if (seconds === 0) return undefined;
      const at = new Date(this.#time() + seconds * 1_000).toISOString();
      return this.#write(target, stored, { seconds, at });
    }
    const { gracePeriodSeconds: seconds = present ?? 0 } = options;
    // Only sooner, never later.
    if (present === undefined || seconds >= present) return stored;
    const at = new Date(Date.parse(deletionTimestamp) + (seconds - present) * 1_000).toISOString();
    const written = this.#write(target, stored, { seconds, at });
    if (seconds === 0 && (pod.metadata.finalizers ?? []).length === 0) this.store.remove(target);
    return written;
  }

  #write(target: Target, stored: Stored, { seconds, at }: { seconds: number; at: string }): object {
    const deletion = { deletionTimestamp: at, deletionGracePeriodSeconds: seconds };
    const metadata = { ...stored.metadata, ...deletion };
    return this.store.write({ ...target, subresource: '' }, { ...stored, metadata });
  }
}

function graceOf(pod: PodObject, { gracePeriodSeconds }: DeleteOptions): number {
  if (pod.spec?.nodeName === undefined || isFinished(pod)) return 0;
  return gracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30;
}
