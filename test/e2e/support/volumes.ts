/**
 * Volumes that are attached to Nodes, as a storage system would leave them: nobody plays one in the
 * local stack.
 */
import { namespaced } from '../../../kube/client/paths.ts';
import type { Scenario } from './scenario.ts';

const volumeAttachments = '/apis/storage.k8s.io/v1/volumeattachments';
const persistentVolumes = '/api/v1/persistentvolumes';

export class Volumes {
  readonly #scenario: Scenario;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
  }

  /** Name of the PersistentVolume of a claim, and of its VolumeAttachment. */
  volumeOf(claim: string): string {
    return `${this.#scenario.namespace}-${claim}`;
  }

  attachmentOf(claim: string): string {
    return `${volumeAttachments}/${this.volumeOf(claim)}`;
  }

  /** A bound claim, and its volume attached to the Node. */
  async attach(claim: string, nodeName: string): Promise<void> {
    const { cluster, namespace } = this.#scenario;
    const volume = this.volumeOf(claim);
    const accessModes = ['ReadWriteOnce'];
    const capacity = { storage: '1Gi' };
    await cluster.kube.create(persistentVolumes, {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: volume },
      spec: { capacity, accessModes, hostPath: { path: '/nowhere' }, storageClassName: '' },
    });
    await cluster.kube.create(namespaced('persistentvolumeclaims', namespace), {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: claim, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
      spec: {
        accessModes,
        volumeName: volume,
        storageClassName: '',
        resources: { requests: capacity },
      },
    });
    await cluster.kube.create(volumeAttachments, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name: volume },
      spec: { attacher: 'nobody', nodeName, source: { persistentVolumeName: volume } },
    });
  }

  async isAttached(claim: string): Promise<boolean> {
    return (await this.#scenario.cluster.find(this.attachmentOf(claim))) !== undefined;
  }

  /** As the storage system does when nobody uses the volume any more. */
  async detach(claim: string): Promise<void> {
    await this.#scenario.cluster.delete(this.attachmentOf(claim));
  }

  /**
   * Claim, volume and attachment. Nobody protects these here, so nobody takes the finalizers off
   * either.
   */
  async remove(claim: string): Promise<void> {
    const { cluster, namespace } = this.#scenario;
    await this.detach(claim);
    const paths = [
      namespaced('persistentvolumeclaims', namespace, claim),
      `${persistentVolumes}/${this.volumeOf(claim)}`,
    ];
    for (const path of paths) {
      await cluster.kube.patch(path, 'merge', { metadata: { finalizers: null } });
      await cluster.delete(path);
    }
  }
}
