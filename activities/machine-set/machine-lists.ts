/** Lists of Machines: from the API server, or from a copy that is as new. */
import type { LabelSelector } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import {
  formFaults,
  isEmptySelector,
  matches,
  selectorText,
} from '../../workflows/api/selector.ts';
import { ConsistentCopy, type CopyLimits } from '../../kube/cache/consistent-copy.ts';
import type { CachedObject } from '../../kube/cache/object-cache.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { customResource } from '../../kube/client/paths.ts';
import type { MachineLists } from '../runtime/dependencies.ts';
import type { NodeCondition, ObjectMeta } from '../../workflows/api/meta.ts';
import { copiedConditions } from '../../workflows/api/kstatus.ts';
import { annotations as names } from '../../workflows/api/constants.ts';
import { inPlaceUpdate } from '../../workflows/api/in-place.ts';
import { defined } from '../../workflows/values/defined.ts';

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

/**
 * The Machines that a selector matches, all of them without one. The API server refuses a list with
 * a malformed selector; what is wrong with it must get into the status all the same, so it is
 * evaluated here then.
 */
async function listSelected(
  control: KubeClient,
  namespace: string,
  selector?: LabelSelector,
): Promise<Machine[]> {
  const path = customResource('machines', namespace);
  if (isEmptySelector(selector)) return (await control.list<Machine>(path)).items;
  if (formFaults(selector).length === 0) {
    const labelSelector = selectorText(selector);
    return (await control.list<Machine>(path, { labelSelector })).items;
  }
  const { items } = await control.list<Machine>(path);
  return items.filter((machine) => matches(selector, machine.metadata.labels ?? {}));
}

/**
 * The parts of a Machine that sets and deployments read. Half of a Machine is who wrote
 * which of its fields, and conditions that only its Node needs.
 */
export function trimmed({ apiVersion, kind, metadata, spec, status }: Machine): Machine {
  return defined({
    apiVersion,
    kind,
    metadata: trimmedMeta(metadata),
    spec,
    status: status && trimmedStatus(status),
  });
}

function trimmedMeta({ annotations, ...metadata }: ObjectMeta): ObjectMeta {
  return defined({
    name: metadata.name,
    namespace: metadata.namespace,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    generation: metadata.generation,
    creationTimestamp: metadata.creationTimestamp,
    deletionTimestamp: metadata.deletionTimestamp,
    labels: metadata.labels,
    annotations: annotations && withoutLongOnes(annotations),
    finalizers: metadata.finalizers,
    ownerReferences: metadata.ownerReferences,
  });
}

function withoutLongOnes(annotations: Record<string, string>): Record<string, string> {
  const {
    [names.lastAppliedByKubectl]: _text,
    [names.consoleOutput]: _output,
    ...kept
  } = annotations;
  return kept;
}

function trimmedStatus({
  conditions,
  currentStatus,
  lastOperation,
  nodeRef,
}: NonNullable<Machine['status']>) {
  return defined({
    currentStatus,
    lastOperation,
    nodeRef,
    conditions: conditions && signOfNode(copiedConditions(conditions)),
  });
}

/** That there are any says that the Node has joined, and one where its update in place is. */
function signOfNode(conditions: readonly NodeCondition[]): NodeCondition[] {
  const read = conditions.filter(({ type }) => type === 'Ready' || type === inPlaceUpdate);
  return read.length > 0 ? read : conditions.slice(0, 1);
}
