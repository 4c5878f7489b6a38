/** A driver that fails whatever it is asked, but for what a test serves itself. */
import type { Driver } from '../../activities/drivers/driver.ts';

/** `message`: of the failure, so that a test says what should not have been asked. */
export function refusingDriver(message: string, served: Partial<Driver> = {}): Driver {
  const refuse = (): Promise<never> => Promise.reject(new Error(message));
  return {
    settleSeconds: 30,
    createInstance: refuse,
    describeInstance: refuse,
    initializeInstance: refuse,
    deleteInstance: refuse,
    listInstances: refuse,
    listScope: () => '',
    deleteListed: refuse,
    volumeIds: refuse,
    validate: () => [],
    ...served,
  };
}
