/**
 * Calls a driver as the core does: again after a while with the checkpoint, for as long as its
 * operation goes on.
 */
import {
  type CreatedInstance,
  type CreateRequest,
  type Driver,
  DriverPending,
  type MachineRequest,
} from '../../../activities/drivers/driver.ts';

export interface Done<Answer> {
  answer: Answer;
  /** Each answer "still under way" before it. */
  pendings: DriverPending[];
}

/** `between`: what happens meanwhile. Fails after two hundred calls. */
export async function followed<Answer>(
  call: (checkpoint: { checkpoint?: string }) => Promise<Answer>,
  between: (pending: DriverPending) => void = () => undefined,
): Promise<Done<Answer>> {
  const pendings: DriverPending[] = [];
  while (pendings.length < 200) {
    const checkpoint = pendings.at(-1)?.checkpoint;
    try {
      return { answer: await call(checkpoint === undefined ? {} : { checkpoint }), pendings };
    } catch (error) {
      if (!(error instanceof DriverPending)) throw error;
      pendings.push(error);
      between(error);
    }
  }
  throw new Error(`still under way: ${pendings.at(-1)?.message}`);
}

/** What a call that is not done says. */
export async function pendingOf(call: Promise<unknown>): Promise<DriverPending> {
  const end = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (end instanceof DriverPending) return end;
  throw new Error('it is not still under way', { cause: end });
}

/** The instance, once it runs. */
export async function createdBy(driver: Driver, request: CreateRequest): Promise<CreatedInstance> {
  const { answer } = await followed((more) => driver.createInstance({ ...request, ...more }));
  return answer;
}

export async function deletedBy(
  driver: Driver,
  request: MachineRequest,
): Promise<{ found: boolean; lastKnownState?: string }> {
  const { answer } = await followed((more) => driver.deleteInstance({ ...request, ...more }));
  return answer;
}
