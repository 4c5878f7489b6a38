/** Pushes what a MachineSet keeps equal to its template down to machines that exist. */
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import type { Unpushable } from '../../workflows/contracts/machine-set-activities.ts';
import { clip } from '../../workflows/values/clip.ts';
import { defined } from '../../workflows/values/defined.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine, MachineSpec } from '../../workflows/api/machine.ts';
import { templatePush } from '../../workflows/plan/machine-set/template-push.ts';
import { inParallel } from '../runtime/parallel.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isConflict, isNotFound, isRejected } from '../../kube/client/errors.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { customResource } from '../../kube/client/paths.ts';
import { machineSubject } from '../machine/object.ts';
import { component } from './batch-events.ts';
import { parallelCalls } from './parallel-calls.ts';
import { controllerOf } from '../../kube/objects/owners.ts';

/** It stands in the state of a workflow. */
const longestErrorBytes = 1_000;

/**
 * Reads the set and each machine anew, so that what is pushed is never older than what is there. A
 * machine that changes in between is left for the next read.
 */
export async function pushTemplate(
  control: KubeClient,
  { set: life, names }: { set: ObjectReference; names: string[] },
): Promise<Unpushable> {
  const path = customResource('machinesets', life.namespace, life.name);
  const set = await ignoreNotFound(control.get<MachineSet>(path));
  const { uid, deletionTimestamp, generation = 0 } = set?.metadata ?? {};
  const template = set?.spec.template?.spec;
  if (!template || uid !== life.uid || deletionTimestamp !== undefined) {
    return { generation, names: [] };
  }
  const refused: string[] = [];
  const errors: string[] = [];
  let mayPass: true | undefined;
  await inParallel(names, parallelCalls, async (name) => {
    const outcome = await pushOne(control, { life, template }, name);
    if (outcome.isEqual) return;
    refused.push(name);
    if (outcome.error !== undefined) errors.push(outcome.error);
    if (outcome.mayPass) mayPass = true;
  });
  const [error] = errors.toSorted();
  return defined({ generation, names: refused.toSorted(), error, mayPass });
}

interface PushedTemplate {
  life: ObjectReference;
  template: MachineSpec;
}

type Push = { isEqual: true } | { isEqual: false; error?: string; mayPass?: true };

async function pushOne(
  control: KubeClient,
  { life, template }: PushedTemplate,
  name: string,
): Promise<Push> {
  const path = customResource('machines', life.namespace, name);
  const machine = await ignoreNotFound(control.get<Machine>(path));
  if (!machine || controllerOf(machine)?.uid !== life.uid) return { isEqual: true };
  const spec = templatePush(machine, template);
  if (!spec) return { isEqual: true };
  const { uid, resourceVersion } = machine.metadata;
  try {
    const pushed = await control.patch<Machine>(path, 'merge', {
      metadata: { uid, resourceVersion },
      spec,
    });
    // Something else keeps it as it was, or does not know the field: to ask again would never end.
    return { isEqual: templatePush(pushed, template) === undefined };
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return { isEqual: true };
    if (isRejected(error)) {
      const message = clip(error.message, longestErrorBytes);
      const subject = machineSubject({ namespace: life.namespace, name, uid });
      const text = { type: 'Warning', reason: 'FailedUpdate', component } as const;
      recordEvent(control, subject, { ...text, message: `Error pushing the template: ${message}` });
      return { isEqual: false, error: message, ...(error.code === 500 && { mayPass: true }) };
    }
    throw error;
  }
}
