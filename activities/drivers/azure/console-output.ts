/** The serial log of a virtual machine: part of its boot diagnostics, in a storage account. */
import type { MachineRequest } from '../driver.ts';
import { missing } from '../named-instance.ts';
import { AzureFailure, driverErrorOf } from './error-mapping.ts';
import { look as findVm } from './find.ts';
import { call, type Session } from './session.ts';

/** Of the address of the log; no less is possible than 1. */
const validMinutes = 1;

export async function getConsoleOutput(session: Session, request: MachineRequest): Promise<string> {
  const seen = await findVm(session, request);
  if (seen.outcome !== 'found') throw missing(request);
  const { vm, name } = seen;
  if (vm.diagnosticsProfile?.bootDiagnostics?.enabled !== true) throw notSwitchedOn(name);
  const url = await logUrl(session, name);
  return url === undefined ? '' : await readLog(session, url);
}

function notSwitchedOn(name: string): Error {
  const message = `Azure: virtual machine ${name} has no boot diagnostics: set providerSpec.properties.diagnosticsProfile.enabled to true`;
  return driverErrorOf(new AzureFailure({ meaning: 'precondition', message }), true);
}

/** Undefined while there is no log. It has a signature, and so it is a secret. */
async function logUrl(session: Session, name: string): Promise<string | undefined> {
  const { clients, place } = session;
  const { serialConsoleLogBlobUri } = await call(
    session,
    `retrieve boot diagnostics of virtual machine ${name}`,
    (options) =>
      clients.compute.virtualMachines.retrieveBootDiagnosticsData(place.resourceGroup, name, {
        ...options,
        sasUriExpirationTimeInMinutes: validMinutes,
      }),
  );
  return serialConsoleLogBlobUri || undefined;
}

/** The address stands in no error. */
async function readLog(session: Session, url: string): Promise<string> {
  const doing = 'read the serial log from its storage account';
  return await call(session, doing, async ({ abortSignal }) => {
    if (URL.parse(url)?.protocol !== 'https:') {
      const message = `Azure: ${doing}: its address does not begin with https://`;
      throw new AzureFailure({ meaning: 'precondition', message });
    }
    const answer = await session.clients.readWithoutCredentials(url, abortSignal).catch(() => {
      const message = `Azure: ${doing}: no answer`;
      throw new AzureFailure({ meaning: 'unavailable', message });
    });
    if (answer.status === 200) return answer.end;
    // It has not been written yet.
    if (answer.status === 404) return '';
    const message = `Azure: ${doing}: status ${answer.status}`;
    const meaning = answer.status === 403 ? 'forbidden' : 'unavailable';
    throw new AzureFailure({ meaning, message, status: answer.status });
  });
}
