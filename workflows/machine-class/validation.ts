/**
 * Asks the driver of a MachineClass what is wrong with its provider spec, and has the answer said
 * on the class.
 */
import {
  CancellationScope,
  condition,
  isCancellation,
  log,
  setCurrentDetails,
} from '@temporalio/workflow';
import type { ReadClassOutcome } from '../contracts/machine-class-activities.ts';
import type { WorkflowInput, NamespacedName } from '../contracts/references.ts';
import type { ValidateOutcome } from '../contracts/driver-contract.ts';
import { contractVersion } from '../contracts/driver-activities.ts';
import { validatedBy } from '../contracts/driver-answers.ts';
import { classValidation, isUntaken, messageOf, localFirst } from '../runtime/activity-options.ts';

/** A worker that polls takes the question at once. */
const answerWait = '60s';
/**
 * A question in a queue costs nothing, and a driver that comes up takes it at once. Then the class
 * is read again: it may be gone.
 */
const driverWait = '12h';

export interface Occasion {
  /** Class or Secrets are others than before. */
  isEdited: boolean;
  /** There is news, which may make the question a wrong one. */
  isInterrupted: () => boolean;
}

/** False: no answer, so it has to be done again. */
export async function validateMachineClass(
  { ref }: WorkflowInput,
  { isEdited, isInterrupted }: Occasion,
): Promise<boolean> {
  const report = async ({ faults, warnings }: Validation): Promise<void> => {
    const content = { ref, faults, ...(warnings && { warnings }), isEdited };
    await localFirst((steps) => steps.reportClass(content), `report on ${ref.name}`);
  };
  const found = await localFirst((steps) => steps.readMachineClass({ ref }), `read ${ref.name}`);
  if (!found.found) return true;
  if (!found.hasDriver) await report(nothingFound);
  if (found.provider === '') return true;
  if (!found.hasDriver) {
    setCurrentDetails(
      `### MachineClass ${ref.name} waits\n- no worker serves provider ${found.provider}`,
    );
  }
  const validation = await askUntil(isInterrupted, ref, found);
  if (!validation) return false;
  setCurrentDetails('');
  await report(validation);
  return true;
}

type Validation = Omit<Extract<ValidateOutcome, { outcome: 'validated' }>, 'outcome'>;

const nothingFound: Validation = { faults: [] };

type FoundClass = Extract<ReadClassOutcome, { found: true }>;

async function askUntil(
  isInterrupted: () => boolean,
  ref: NamespacedName,
  found: FoundClass,
): Promise<Validation | undefined> {
  const scope = new CancellationScope();
  const asked = scope.run(() => ask(ref, found));
  await Promise.race([asked, condition(isInterrupted)]);
  if (isInterrupted()) scope.cancel();
  return await asked;
}

/**
 * Undefined when no worker took the question. A driver that cannot answer it keeps no machine from
 * being tried.
 */
async function ask(
  { namespace, name: className }: NamespacedName,
  { provider, hasDriver }: FoundClass,
): Promise<Validation | undefined> {
  const queueWait = hasDriver ? answerWait : driverWait;
  const { validateClass } = classValidation(provider, {
    summary: `faults of ${className}`,
    queueWait,
  });
  try {
    const asked = { provider, usesTarget: false, isCancelled: false };
    const answer = validatedBy(
      await validateClass({ contractVersion, namespace, className }),
      asked,
    );
    if (answer.outcome === 'validated') return answer;
    log.warn('the driver did not validate the class', {
      provider,
      failure: answer.failure.message,
    });
  } catch (error) {
    if (isCancellation(error) || isUntaken(error)) return undefined;
    log.warn('the driver did not validate the class', { provider, failure: messageOf(error) });
  }
  return nothingFound;
}
