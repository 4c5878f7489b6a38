/** Lists of MachineSets: from the API server, or from a copy that is as new. */
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import { ConsistentCopy } from '../../kube/cache/consistent-copy.ts';
import type { CopyLimits } from '../../kube/cache/consistent-copy.ts';
import type { CachedObject } from '../../kube/cache/object-cache.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { customResource } from '../../kube/client/paths.ts';
import type { MachineSetLists } from '../runtime/dependencies.ts';

/** Each list is asked of the API server. */
export function setListsOf(control: KubeClient): MachineSetLists {
  return {
    list: async (namespace) => {
      const path = customResource('machinesets', namespace);
      return (await control.list<MachineSet>(path)).items;
    },
  };
}

type CopiedSet = CachedObject & { set: MachineSet };

export interface CopiedMachineSetsOptions extends CopyLimits {
  control: KubeClient;
  /** That of the copy. */
  namespace: string;
  onError(error: unknown): void;
}

/**
 * One copy for all deployments of the process: of many that roll at once each reads the sets of all
 * of them.
 */
export class CopiedMachineSets implements MachineSetLists {
  readonly #lists: MachineSetLists;
  readonly #namespace: string;
  readonly #copy: ConsistentCopy<MachineSet, CopiedSet>;

  constructor({ control, namespace, ...options }: CopiedMachineSetsOptions) {
    this.#lists = setListsOf(control);
    this.#namespace = namespace;
    this.#copy = new ConsistentCopy({
      ...options,
      client: control,
      path: customResource('machinesets', namespace),
      transform: viewOf,
    });
  }

  async list(namespace: string): Promise<readonly MachineSet[]> {
    const copied = namespace === this.#namespace ? await this.#copy.read() : undefined;
    return copied ? copied.map(({ set }) => set) : await this.#lists.list(namespace);
  }

  async close(): Promise<void> {
    await this.#copy.close();
  }
}

function viewOf(set: MachineSet): CopiedSet {
  const { uid, name, resourceVersion } = set.metadata;
  return { uid, name, resourceVersion, set };
}
