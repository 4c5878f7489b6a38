/** The calls of a driver. Whatever comes of one is an outcome: also no answer, and one that makes no sense. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { CreateOutcome, DeleteOutcome, DescribeOutcome, DriverRequest } from './activities.ts';
import { clip } from './api/clip.ts';
import type { Asked } from './plan/driver-answers.ts';
import { createdBy, deletedBy, describedBy, longestMessageBytes } from './plan/driver-answers.ts';
import type { MachineFailure } from './plan/machine.ts';
import { driverSteps, messageOf, notServed } from './steps.ts';

export async function createOutcome(
  request: DriverRequest,
  usesTarget: boolean,
): Promise<CreateOutcome> {
  try {
    const { createInstance } = driverSteps(request.provider, `create ${request.machine.name}`);
    return createdBy(await createInstance(request), askedOf(request, usesTarget));
  } catch (error) {
    return failed(error, request);
  }
}

export async function deleteOutcome(
  request: DriverRequest,
  usesTarget: boolean,
): Promise<DeleteOutcome> {
  try {
    const { deleteInstance } = driverSteps(request.provider, `delete ${request.machine.name}`);
    return deletedBy(await deleteInstance(request), askedOf(request, usesTarget));
  } catch (error) {
    return failed(error, request);
  }
}

export async function findOutcome(
  request: DriverRequest,
  usesTarget: boolean,
): Promise<DescribeOutcome> {
  try {
    const { describeInstance } = driverSteps(request.provider, `find ${request.machine.name}`);
    return describedBy(await describeInstance(request), askedOf(request, usesTarget));
  } catch (error) {
    return failed(error, request);
  }
}

function askedOf({ provider }: DriverRequest, usesTarget: boolean): Asked {
  return { provider, usesTarget, isCancelled: CancellationScope.current().consideredCancelled };
}

function failed(error: unknown, { provider }: DriverRequest) {
  return { outcome: 'failed' as const, failure: failureOf(error, provider) };
}

/** A call that ended without an answer of the driver: nobody knows what the cloud did. */
function failureOf(error: unknown, provider: string): MachineFailure {
  if (isCancellation(error)) {
    const message = 'cancelled by a deletion';
    return { code: 'Canceled', message, isSettled: false, wasCancelled: true };
  }
  if (error instanceof ActivityFailure && error.cause instanceof TimeoutFailure) {
    const message = `no worker serves provider "${provider}": start one for its task queue, or mend the class's provider`;
    return { code: 'Unavailable', message, isSettled: false };
  }
  const message = clip(wordsOf(error, provider), longestMessageBytes);
  return { code: 'Internal', message, isSettled: false };
}

function wordsOf(error: unknown, provider: string): string {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  const isNotServed = cause instanceof ApplicationFailure && notServed.includes(cause.type ?? '');
  if (!isNotServed) return messageOf(error);
  return `the driver of provider "${provider}" does not serve ${error instanceof ActivityFailure ? error.activityType : 'it'}: start a version that does. It says: ${cause.message}`;
}
