/**
 * Writes to the status of a DisruptionPolicy, each for the version that was decided on: what is
 * shared by many is taken, and one of two that take at once reads again.
 */
import type {
  DisruptionPolicy,
  DisruptionPolicyStatus,
} from '../../workflows/api/disruption-policy.ts';
import { ignoreConflict, ignoreNotFound } from '../../kube/client/ignore.ts';
import { disruptionPolicy } from '../../kube/client/paths.ts';
import type { GateDependencies } from './dependencies.ts';
import { readObjects } from './dependencies.ts';
import type { NamespaceObjects } from './going.ts';
import { noObjects } from './going.ts';

/** Each conflict is a write of another client, so one of them goes on. */
const mostTries = 20;

/** `change`: absent, nothing is written. */
export interface Decision<Answer> {
  change?: DisruptionPolicyStatus;
  answer: Answer;
}

export interface DecisionRequest<Answer> {
  decide(policy: DisruptionPolicy, objects: NamespaceObjects): Decision<Answer>;
  /** Where others write all the time. */
  busy: Answer;
}

/**
 * Decides by a policy, and by what is counted after it was read, until no other client wrote
 * meanwhile. Undefined where the policy is gone.
 */
export async function decisionOn<Answer>(
  dependencies: GateDependencies,
  known: DisruptionPolicy,
  { decide, busy }: DecisionRequest<Answer>,
): Promise<Answer | undefined> {
  const { namespace = '', name } = known.metadata;
  const path = disruptionPolicy(namespace, name);
  let policy: DisruptionPolicy | undefined = known;
  for (let tries = 0; tries < mostTries; tries += 1) {
    if (policy?.metadata.uid !== known.metadata.uid) return undefined;
    const objects = policy.spec.atATime ? await readObjects(dependencies, namespace) : noObjects;
    const { change, answer } = decide(policy, objects);
    if (!change || (await write(dependencies, policy, change))) return answer;
    policy = await ignoreNotFound(dependencies.control.get<DisruptionPolicy>(path));
  }
  return busy;
}

/** False when it changed meanwhile, or is gone. */
export async function write(
  { control, policies }: Pick<GateDependencies, 'control' | 'policies'>,
  { metadata }: DisruptionPolicy,
  change: object,
): Promise<boolean> {
  const { namespace = '', name, uid, resourceVersion } = metadata;
  const path = `${disruptionPolicy(namespace, name)}/status`;
  const patch = { metadata: { uid, resourceVersion }, status: withoutEmpty(change) };
  const written = await ignoreConflict(control.patch<DisruptionPolicy>(path, 'merge', patch));
  if (written) policies.noteWritten(written);
  return written !== undefined;
}

/** A merge patch removes a list with null. */
function withoutEmpty(change: object): object {
  const entries = Object.entries(change).map(([key, value]): [string, unknown] => [
    key,
    Array.isArray(value) && value.length === 0 ? null : value,
  ]);
  return Object.fromEntries(entries);
}
