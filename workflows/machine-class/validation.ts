/** Asks the driver of a MachineClass what is wrong with its provider spec, and has the answer said on the class. */
import {
  CancellationScope,
  condition,
  isCancellation,
  log,
  setCurrentDetails,
} from '@temporalio/workflow';
import type { ClassLook } from '../contracts/machine-class-activities.ts';
import type { EntityInput, ObjectRef } from '../contracts/references.ts';
import type { ValidateOutcome } from '../contracts/driver-activities.ts';
import { contractVersion } from '../contracts/driver-activities.ts';
import { validatedBy } from '../contracts/driver-answers.ts';
import { classSteps, isUntaken, messageOf, shortStep } from '../runtime/activity-options.ts';

/** A worker that polls takes the question at once. */
const answerWait = '60s';
/** A question in a queue costs nothing, and a driver that comes up takes it at once. Then it is looked whether the class is still there. */
const driverWait = '12h';

export interface Occasion {
  /** Class or Secrets are others than before. */
  isEdited: boolean;
  /** There is news, which may make the question a wrong one. */
  isInterrupted: () => boolean;
}

/** False: no answer, look again. */
export async function judgeClass(
  { ref }: EntityInput,
  { isEdited, isInterrupted }: Occasion,
): Promise<boolean> {
  const report = async ({ faults, warnings }: Judgement): Promise<void> => {
    const found = { ref, faults, ...(warnings && { warnings }), isEdited };
    await shortStep((steps) => steps.reportClass(found), `report on ${ref.name}`);
  };
  const look = await shortStep((steps) => steps.lookAtClass({ ref }), `look at ${ref.name}`);
  if (!look.found) return true;
  if (!look.hasDriver) await report(nothingFound);
  if (look.provider === '') return true;
  if (!look.hasDriver) {
    setCurrentDetails(
      `### MachineClass ${ref.name} waits\n- no worker serves provider ${look.provider}`,
    );
  }
  const judgement = await askUntil(isInterrupted, ref, look);
  if (!judgement) return false;
  setCurrentDetails('');
  await report(judgement);
  return true;
}

type Judgement = Omit<Extract<ValidateOutcome, { outcome: 'validated' }>, 'outcome'>;

const nothingFound: Judgement = { faults: [] };

type FoundClass = Extract<ClassLook, { found: true }>;

async function askUntil(
  isInterrupted: () => boolean,
  ref: ObjectRef,
  look: FoundClass,
): Promise<Judgement | undefined> {
  const scope = new CancellationScope();
  const asked = scope.run(() => ask(ref, look));
  await Promise.race([asked, condition(isInterrupted)]);
  if (isInterrupted()) scope.cancel();
  return await asked;
}

/** Undefined when nobody took the question. A driver that cannot answer it keeps no machine from being tried. */
async function ask(
  { namespace, name: className }: ObjectRef,
  { provider, hasDriver }: FoundClass,
): Promise<Judgement | undefined> {
  const queueWait = hasDriver ? answerWait : driverWait;
  const { validateClass } = classSteps(provider, { summary: `faults of ${className}`, queueWait });
  try {
    const asked = { provider, usesTarget: false, isCancelled: false };
    const answer = validatedBy(
      await validateClass({ contractVersion, namespace, className }),
      asked,
    );
    if (answer.outcome === 'validated') return answer;
    log.warn('the driver did not judge the class', { provider, failure: answer.failure.message });
  } catch (error) {
    if (isCancellation(error) || isUntaken(error)) return undefined;
    log.warn('the driver did not judge the class', { provider, failure: messageOf(error) });
  }
  return nothingFound;
}
