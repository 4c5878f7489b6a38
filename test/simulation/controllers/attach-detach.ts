/**
 * Attaches the volumes of pods to their Nodes and detaches them, by VolumeAttachments; and what the
 * storage makes of those.
 */
import type { News } from './change-feed.ts';
import { Controller } from './controller.ts';
import type { ControllerParts } from './controller.ts';
import { claimsOf, isDeleting, isFinished } from './objects.ts';
import type { AttachmentObject, PodObject } from './objects.ts';
import type { PodIndex } from './pod-index.ts';
import { attachmentOf, attachments, volumesOf } from './volumes.ts';
import type { VolumePlace } from './volumes.ts';
import { createObject, deleteObject, patchObject, patchStatus, readObject } from './writes.ts';

const finalizer = 'external-attacher/storage-example-com';

/** Milliseconds. */
const storageMs = { least: 500, most: 5_000 };
const slowStorageMs = 240_000;
/** A volume of a dead kubelet is detached by force after this. */
const forceMs = 360_000;

interface Volume {
  /** By Node: paths of the pods there that use it. */
  users: Map<string, Set<string>>;
  /** By Node. */
  attached: Map<string, AttachmentObject>;
  /** By Node: since when it is attached and not used, milliseconds. */
  unusedSince: Map<string, number>;
}

export interface AttachDetachOptions {
  index: PodIndex;
  isAlive(nodeName: string): boolean;
}

export class AttachDetach extends Controller {
  readonly #options: AttachDetachOptions;
  readonly #volumes = new Map<string, Volume>();
  /** Volumes that a pod uses, by its path. */
  readonly #used = new Map<string, { nodeName: string; volumes: string[] }>();

  constructor(parts: ControllerParts, options: AttachDetachOptions) {
    super('attach and detach', parts);
    this.#options = options;
  }

  start(): void {
    this.listen(['Pod', 'VolumeAttachment']);
  }

  protected override hear(news: News): void {
    if (news.kind === 'Pod') this.#hearPod(news.path, news.after);
    else this.#hearAttachment(news);
  }

  #hearPod(path: string, pod: PodObject | undefined): void {
    const nodeName = pod && isUser(pod) ? (pod.spec?.nodeName ?? '') : '';
    if (this.#used.get(path)?.nodeName === nodeName) return;
    this.#release(path);
    if (pod && nodeName !== '') this.#use(path, pod, nodeName);
  }

  #use(path: string, pod: PodObject, nodeName: string): void {
    const volumes = volumesOf(this.parts.cluster.server, pod).filter((name) => name !== '');
    this.#used.set(path, { nodeName, volumes });
    for (const volume of volumes) {
      const { users } = this.#volume(volume);
      users.set(nodeName, (users.get(nodeName) ?? new Set()).add(path));
      this.enqueue(volume);
    }
  }

  #release(path: string): void {
    const { nodeName = '', volumes = [] } = this.#used.get(path) ?? {};
    this.#used.delete(path);
    for (const volume of volumes) {
      const { users } = this.#volume(volume);
      const paths = users.get(nodeName);
      paths?.delete(path);
      if (paths?.size === 0) users.delete(nodeName);
      this.enqueue(volume);
    }
  }

  #hearAttachment({ path, before, after }: News): void {
    const place = placeOf(after ?? before);
    if (!place) return;
    const { attached } = this.#volume(place.volume);
    if (after) attached.set(place.nodeName, after);
    else attached.delete(place.nodeName);
    this.enqueue(place.volume);
    if (after && isToDo(after)) {
      this.enqueue(`storage ${path}`, this.#storageMs(isDeleting(after)));
    }
  }

  #storageMs(isDetach: boolean): number {
    const { slowDetaches } = this.parts.trouble;
    const isSlow = this.goesWrong(isDetach ? slowDetaches : 0);
    return this.chance.between(storageMs.least, isSlow ? slowStorageMs : storageMs.most);
  }

  protected override sync(key: string): void {
    const [what = '', path] = key.split(' ');
    if (path !== undefined) return this.#actOnStorage(path);
    const volume = this.#volume(what);
    for (const [nodeName, attachment] of volume.attached) {
      if (!volume.users.has(nodeName)) this.#detach(what, nodeName, attachment);
      else volume.unusedSince.delete(nodeName);
    }
    for (const nodeName of volume.users.keys()) {
      // At one Node at a time.
      if (volume.attached.size === 0) this.#attach(what, nodeName);
    }
    if (volume.attached.size + volume.users.size === 0) this.#volumes.delete(what);
  }

  #attach(volume: string, nodeName: string): void {
    const name = attachmentOf({ volume, nodeName });
    createObject(this.parts.cluster.server, attachments, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name, finalizers: [finalizer] },
      spec: { attacher: 'storage.example.com', nodeName, source: { persistentVolumeName: volume } },
      status: { attached: false },
    });
  }

  /** A kubelet that lives has let go of it; of a dead one nobody knows. */
  #detach(volume: string, nodeName: string, attachment: AttachmentObject): void {
    if (isDeleting(attachment)) return;
    const { now } = this.parts.simulation;
    const { unusedSince } = this.#volume(volume);
    const since = unusedSince.get(nodeName) ?? now;
    unusedSince.set(nodeName, since);
    const isCertain = this.#options.isAlive(nodeName) || !this.#options.index.node(nodeName);
    const leftMs = isCertain ? 0 : since + forceMs - now;
    if (leftMs > 0) return this.enqueue(volume, leftMs);
    const { name, uid } = attachment.metadata;
    deleteObject(this.parts.cluster.server, { path: `${attachments}/${name}`, uid });
  }

  #actOnStorage(path: string): void {
    const { server } = this.parts.cluster;
    const found: AttachmentObject | undefined = readObject(server, path);
    if (!found) return;
    const { uid, finalizers = [] } = found.metadata;
    if (!isDeleting(found)) patchStatus(server, { path, uid }, { attached: true });
    else {
      const left = finalizers.filter((one) => one !== finalizer);
      patchObject(server, { path, uid }, { metadata: { finalizers: left } });
    }
  }

  #volume(name: string): Volume {
    const known = this.#volumes.get(name) ?? {
      users: new Map(),
      attached: new Map(),
      unusedSince: new Map(),
    };
    this.#volumes.set(name, known);
    return known;
  }
}

/** It holds its volumes until it is gone, or has ended. */
function isUser(pod: PodObject): boolean {
  return !isFinished(pod) && claimsOf(pod).length > 0;
}

/** Undefined for a volume that is no PersistentVolume. */
function placeOf(attachment: AttachmentObject | undefined): VolumePlace | undefined {
  const { nodeName = '', source } = attachment?.spec ?? {};
  const volume = source?.persistentVolumeName;
  return volume === undefined ? undefined : { volume, nodeName };
}

function isToDo(attachment: AttachmentObject): boolean {
  return isDeleting(attachment) || attachment.status?.attached !== true;
}
