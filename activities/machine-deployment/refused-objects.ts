/**
 * Writes for several objects: one that the API server refuses must not keep the others from being
 * done.
 */
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import { clip } from '../../workflows/values/clip.ts';
import { apiVersion, eventComponents } from '../../workflows/api/constants.ts';
import type { Refusals } from '../../workflows/plan/requeues.ts';
import { defined } from '../../workflows/values/defined.ts';
import type {
  ownSubject,
  statusSubject,
} from '../../workflows/plan/machine-deployment/rollout/refused-steps.ts';
import { compareText } from '../../workflows/plan/machine-set/scale-down.ts';
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import { isRejected } from '../../kube/client/errors.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import { customResource } from '../../kube/client/paths.ts';
import { reportOn } from './lifecycle.ts';

/** It stands in a condition and in the state of a workflow. */
const longestMessageBytes = 1_000;

const resources = { Machine: 'machines', MachineSet: 'machinesets' } as const;

type RefusableKind = keyof typeof resources;

export interface Refusable {
  kind: RefusableKind;
  name: string;
}

interface Refused {
  /** Absent: the deployment. */
  object?: Refusable;
  message: string;
}

export class RefusedObjects {
  readonly #refused = new Map<string, Refused>();
  readonly #passOver: ReadonlySet<string>;

  /** @param passOver Objects that are not tried, e.g. `MachineSet/pool-1`. */
  constructor(passOver: readonly string[] = []) {
    this.#passOver = new Set(passOver);
  }

  /**
   * Returns what the call returns; undefined, and noted, when the API server refuses it; undefined
   * also where it is not tried.
   */
  async attempt<T>(object: Refusable, call: () => Promise<T>): Promise<T | undefined> {
    return await this.#attempt(`${object.kind}/${object.name}`, call, object);
  }

  /** The same for the deployment itself or for its status. */
  async attemptOwn<T>(
    subject: typeof ownSubject | typeof statusSubject,
    call: () => Promise<T>,
  ): Promise<T | undefined> {
    return await this.#attempt(subject, call);
  }

  async #attempt<T>(
    subject: string,
    call: () => Promise<T>,
    object?: Refusable,
  ): Promise<T | undefined> {
    if (this.#passOver.has(subject)) return undefined;
    try {
      return await call();
    } catch (error) {
      if (!isRejected(error)) throw error;
      const message = clip(error.message, longestMessageBytes);
      this.#refused.set(subject, defined({ object, message }));
      return undefined;
    }
  }

  get outcome(): Refusals | undefined {
    const names = [...this.#refused.keys()].toSorted(compareText);
    const [first = ''] = names;
    const refused = this.#refused.get(first);
    return refused && { names, reason: 'FailedUpdate', message: `${first}: ${refused.message}` };
  }

  /** On each object, and on the deployment. */
  async report(control: KubeClient, deployment: ObjectReference): Promise<void> {
    const { outcome } = this;
    if (!outcome) return;
    const text = { type: 'Warning', reason: outcome.reason } as const;
    for (const [subject, { object, message }] of this.#refused) {
      if (!object) continue;
      const { namespace } = deployment;
      const { kind, name } = object;
      const uid = await uidOf(control, customResource(resources[kind], namespace, name));
      recordEvent(
        control,
        { apiVersion, kind, namespace, name, uid },
        { ...text, message: `Error writing ${subject}: ${message}`, component },
      );
    }
    const message = `Error writing ${outcome.names.join(', ')}: ${outcome.message}`;
    await reportOn(control, deployment, { ...text, message });
  }
}

const component = eventComponents.machineDeployment;

/** An Event may do without. */
async function uidOf(control: KubeClient, path: string): Promise<string> {
  try {
    return (await control.get<KubeObject>(path)).metadata.uid;
  } catch {
    return '';
  }
}
