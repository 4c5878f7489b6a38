/** Lists of Machines: from the API server, or from a copy that is as new. */
import type { LabelSelector } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { isEmptySelector, matches } from '../../workflows/api/selector.ts';
import type { CopyLimits } from '../../kube/cache/consistent-copy.ts';
import { ConsistentCopy } from '../../kube/cache/consistent-copy.ts';
import type { CachedObject } from '../../kube/cache/object-cache.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { customResource } from '../../kube/client/paths.ts';
import type { MachineLists } from '../runtime/dependencies.ts';
import { listSelected } from './selector.ts';
import { trimmed } from './trimmed-machine.ts';

/** Each list is asked of the API server. */
export function listsOf(control: KubeClient): MachineLists {
  return {
    select: async (namespace, selector) => await listSelected(control, namespace, selector),
    selectKnown: async () => undefined,
  };
}

type CopiedMachine = CachedObject & { machine: Machine };

export interface CopiedMachinesOptions extends CopyLimits {
  control: KubeClient;
  /** That of the copy. */
  namespace: string;
  onError(error: unknown): void;
}

/** One copy for all sets and deployments of the process. */
export class CopiedMachines implements MachineLists {
  readonly #lists: MachineLists;
  readonly #namespace: string;
  readonly #copy: ConsistentCopy<Machine, CopiedMachine>;

  constructor({ control, namespace, ...options }: CopiedMachinesOptions) {
    this.#lists = listsOf(control);
    this.#namespace = namespace;
    this.#copy = new ConsistentCopy({
      ...options,
      client: control,
      path: customResource('machines', namespace),
      transform: viewOf,
    });
  }

  async select(namespace: string, selector?: LabelSelector): Promise<readonly Machine[]> {
    const copied = namespace === this.#namespace ? await this.#copy.read() : undefined;
    return copied ? among(copied, selector) : await this.#lists.select(namespace, selector);
  }

  async selectKnown(
    namespace: string,
    selector: LabelSelector | undefined,
    atLeast: string,
  ): Promise<readonly Machine[] | undefined> {
    const copied = namespace === this.#namespace ? await this.#copy.readFrom(atLeast) : undefined;
    return copied && among(copied, selector);
  }

  async close(): Promise<void> {
    await this.#copy.close();
  }
}

function among(copied: readonly CopiedMachine[], selector: LabelSelector | undefined): Machine[] {
  const machines = copied.map(({ machine }) => machine);
  if (isEmptySelector(selector)) return machines;
  return machines.filter(({ metadata }) => matches(selector, metadata.labels ?? {}));
}

function viewOf(machine: Machine): CopiedMachine {
  const { uid, name, resourceVersion } = machine.metadata;
  return { uid, name, resourceVersion, machine: trimmed(machine) };
}
