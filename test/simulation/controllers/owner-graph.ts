/** Which objects name which owner, as the garbage collector knows it. */
import type { KubeObject, OwnerReference } from '../../../kube/client/client.ts';

export interface Dependent {
  uid: string;
  path: string;
  owners: readonly OwnerReference[];
}

const none: ReadonlyMap<string, Dependent> = new Map();

export class OwnerGraph {
  readonly #byOwner = new Map<string, Map<string, Dependent>>();

  put(path: string, { metadata }: KubeObject): void {
    const { uid, ownerReferences: owners = [] } = metadata;
    for (const owner of owners) {
      const dependents = this.#byOwner.get(owner.uid) ?? new Map<string, Dependent>();
      this.#byOwner.set(owner.uid, dependents.set(uid, { uid, path, owners }));
    }
  }

  remove({ metadata: { uid, ownerReferences = [] } }: KubeObject): void {
    for (const owner of ownerReferences) {
      const dependents = this.#byOwner.get(owner.uid);
      dependents?.delete(uid);
      if (dependents?.size === 0) this.#byOwner.delete(owner.uid);
    }
  }

  /** By UID. What is done to them meanwhile does not change the list. */
  dependentsOf(ownerUid: string): Dependent[] {
    return [...(this.#byOwner.get(ownerUid) ?? none).values()];
  }

  /** Those for which the owner has to wait, when it is deleted in the foreground. */
  blockingDependentsOf(ownerUid: string): Dependent[] {
    return this.dependentsOf(ownerUid).filter(({ owners }) =>
      owners.some(({ uid, blockOwnerDeletion }) => uid === ownerUid && blockOwnerDeletion === true),
    );
  }
}
