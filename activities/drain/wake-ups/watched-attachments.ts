/**
 * Where volumes are attached: one copy for all drains of this process, watched while one of them
 * waits.
 */
import type { VolumeAttachment } from '../../../kube/objects/volume-attachments.ts';
import { volumeAttachments } from '../../../kube/objects/volume-attachments.ts';
import type { Attachment } from '../../../workflows/plan/drain/volumes.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { isNotFound } from '../../../kube/client/errors.ts';
import { LazyReflector } from '../../../kube/cache/lazy-reflector.ts';
import type { CachedObject } from '../../../kube/cache/object-cache.ts';
import { ignoreNotFound } from '../../../kube/client/ignore.ts';
import { pause } from '../../../kube/client/pause.ts';
import { anySignal } from '../../system/system.ts';

type AttachmentView = CachedObject & { attachment: Attachment | undefined };

interface AttachmentWait {
  volumes: ReadonlySet<string>;
  woken: AbortController;
}

export interface WatchedAttachmentsOptions {
  target: KubeClient;
  /** A volume was attached or detached somewhere. */
  onMove?(volume: string): void;
  onError(error: unknown): void;
}

export class WatchedAttachments {
  readonly #target: KubeClient;
  readonly #reflector: LazyReflector<VolumeAttachment, AttachmentView>;
  readonly #waiting = new Set<AttachmentWait>();
  readonly #onMove: ((volume: string) => void) | undefined;

  constructor({ target, onMove, onError }: WatchedAttachmentsOptions) {
    this.#target = target;
    this.#onMove = onMove;
    this.#reflector = new LazyReflector({
      client: target,
      path: volumeAttachments,
      transform: viewOf,
      onChange: ({ object }) => this.#wakeDrainsOf(object),
      // A cluster without VolumeAttachments has nothing to wait for.
      onError: (error) => (isNotFound(error) ? undefined : onError(error)),
    });
  }

  /** Empty where the cluster has no VolumeAttachments. */
  async list(): Promise<Attachment[]> {
    this.#reflector.use();
    const { items } = this.#reflector;
    if (items) return [...items.values()].flatMap(({ attachment }) => attachment ?? []);
    // From the API server's cache: there may be thousands.
    const list = this.#target.list<VolumeAttachment>(volumeAttachments, { resourceVersion: '0' });
    return ((await ignoreNotFound(list))?.items ?? []).flatMap((one) => attachmentOf(one) ?? []);
  }

  /**
   * Ends early when one of these volumes is attached or detached somewhere. Throws when `signal`
   * fires.
   */
  async pause(volumes: string[], milliseconds: number, signal: AbortSignal): Promise<void> {
    const waiting = { volumes: new Set(volumes), woken: new AbortController() };
    this.#waiting.add(waiting);
    try {
      await pause(milliseconds, anySignal([signal, waiting.woken.signal]));
    } finally {
      this.#waiting.delete(waiting);
    }
    signal.throwIfAborted();
  }

  async close(): Promise<void> {
    await this.#reflector.close();
  }

  #wakeDrainsOf({ attachment }: AttachmentView): void {
    if (!attachment) return;
    const { volume } = attachment;
    for (const { volumes, woken } of this.#waiting) if (volumes.has(volume)) woken.abort();
    this.#onMove?.(volume);
  }
}

function viewOf(object: VolumeAttachment): AttachmentView {
  const { uid, name, resourceVersion } = object.metadata;
  return { uid, name, resourceVersion, attachment: attachmentOf(object) };
}

/** Undefined for a volume that is no PersistentVolume. */
function attachmentOf({ spec, status }: VolumeAttachment): Attachment | undefined {
  const { persistentVolumeName: volume } = spec.source;
  if (volume === undefined) return undefined;
  return { volume, nodeName: spec.nodeName, isAttached: status?.attached ?? false };
}
