/**
 * The launch of a new Machine in one step: it is read and claimed, its instance is made, and what
 * `createInstance` does beyond that (docs/decisions/0063-one-step-each-way.md).
 */
import type {
  LaunchRequest,
  RecordedCreateOutcome,
} from '../../workflows/contracts/driver-activities.ts';
import type { LaunchOutcome, NewMachine } from '../../workflows/contracts/launch-activities.ts';
import { driverRequestOf } from '../../workflows/contracts/driver-request.ts';
import type { ReadAndClaimOutcome } from '../../workflows/contracts/machine-activities.ts';
import type { KubeActivities } from '../../workflows/contracts/kube-activities.ts';
import { defined } from '../../workflows/values/defined.ts';

export interface LaunchParts {
  claim: KubeActivities['readAndClaimMachine'];
  create(request: LaunchRequest): Promise<RecordedCreateOutcome>;
  warn(error: unknown): void;
}

export async function launchMachine(
  { claim, create, warn }: LaunchParts,
  { machine, cluster, provider, resourceVersion }: NewMachine,
): Promise<LaunchOutcome> {
  const { namespace, name, uid } = machine;
  const signalled = { uid, resourceVersion };
  const asked = { machine: { namespace, name }, cluster, signalled };
  const read = await claim({ ...asked, isRetry: false, readsNode: true });
  if (!isNew(read, { uid, provider })) return { read };
  const { nodeConditions, createGeneration: generation } = read.machine;
  const known = { machine, cluster, generation, isRetry: false };
  const request = defined({ ...driverRequestOf(read.machine, known), nodeConditions });
  try {
    return { read, created: await create(request) };
  } catch (error) {
    warn(error);
    return { read, created: { outcome: 'unknown' } };
  }
}

type Found = Extract<ReadAndClaimOutcome, { found: true }>;

/** No controller has acted on it, and nothing is wrong. */
function isNew(
  read: ReadAndClaimOutcome,
  { uid, provider }: { uid: string; provider: string },
): read is Found {
  if (!read.found || read.failure || read.outOfReach !== undefined) return false;
  const { machine } = read;
  if (machine.uid !== uid || machine.isDeleting || machine.provider !== provider) return false;
  const { phase, createGeneration, ...ids } = machine;
  const isKnown = ids.providerID ?? ids.nodeName ?? ids.lastKnownState;
  return phase === '' && createGeneration === 0 && isKnown === undefined;
}
