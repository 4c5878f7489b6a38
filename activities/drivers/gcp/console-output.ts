/** What an instance of Compute Engine has printed to its first serial port. */
import type { MachineRequest } from '../driver.ts';
import { missing } from '../named-instance.ts';
import type { Account } from './client.ts';
import { findOne } from './find.ts';

export async function getConsoleOutput(account: Account, request: MachineRequest): Promise<string> {
  const found = await findOne(account, request);
  if (!found?.isOwn) throw missing(request);
  return (await account.compute.serialOutput(found.instance.place, request.signal)) ?? '';
}
