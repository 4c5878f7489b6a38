/** What an EC2 instance has printed to its serial console. */
import { Buffer } from 'node:buffer';
import { DriverError, type MachineRequest } from '../driver.ts';
import { missing } from '../named-instance.ts';
import type { Ec2 } from './ec2.ts';
import { findInstance } from './find.ts';
import { idOf } from './instance-view.ts';

export async function getConsoleOutput(ec2: Ec2, request: MachineRequest): Promise<string> {
  const found = await findInstance(ec2, request);
  if (found.outcome !== 'live') throw missing(request);
  return Buffer.from(await latest(ec2, idOf(found.instance)), 'base64').toString('utf8');
}

/**
 * Instances of the Nitro system print as of now; of others EC2 has what they had printed some
 * minutes after their start.
 */
async function latest(ec2: Ec2, id: string): Promise<string> {
  try {
    return await ec2.consoleOutput(id, { isLatest: true });
  } catch (error) {
    // The instance type has no latest output.
    const isUnsupported =
      error instanceof DriverError && error.message.includes(': UnsupportedOperation: ');
    if (!isUnsupported) throw error;
    return await ec2.consoleOutput(id, { isLatest: false });
  }
}
