/**
 * Wraps the calls of a driver alike: for limits, for metrics, for the spelling of its specs.
 */
import type { Driver, ProviderRequest } from './driver.ts';

/** As the metrics name the calls. */
export type Operation =
  'create' | 'describe' | 'initialize' | 'delete' | 'list' | 'deleteListed' | 'getConsoleOutput';

export type CloudCall<Request, Answer> = (request: Request) => Promise<Answer>;

/** Makes one call out of another. */
export type WrapCall = <Request extends ProviderRequest, Answer>(
  operation: Operation,
  call: CloudCall<Request, Answer>,
) => CloudCall<Request, Answer>;

/**
 * The same driver with each call that goes to the cloud wrapped; the rest stays as it is. Drivers
 * are plain objects: methods that a class would inherit are not copied.
 */
export function withCalls(driver: Driver, wrap: WrapCall): Driver {
  const { getConsoleOutput } = driver;
  return {
    ...driver,
    createInstance: wrap('create', (request) => driver.createInstance(request)),
    describeInstance: wrap('describe', (request) => driver.describeInstance(request)),
    initializeInstance: wrap('initialize', (request) => driver.initializeInstance(request)),
    deleteInstance: wrap('delete', (request) => driver.deleteInstance(request)),
    listInstances: wrap('list', (request) => driver.listInstances(request)),
    deleteListed: wrap('deleteListed', (request) => driver.deleteListed(request)),
    ...(getConsoleOutput && {
      getConsoleOutput: wrap('getConsoleOutput', getConsoleOutput.bind(driver)),
    }),
  };
}
