/** The pools of deploy/examples/clouds to begin with, and how a driver is asked for one of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { CreateRequest } from '../../../../activities/drivers/driver.ts';
import { fillUserData } from '../../../../activities/machine-class/user-data.ts';
import { repository } from '../../../../deploy/local/layout.ts';
import type { MachineClass } from '../../../../workflows/api/machine-class.ts';
import type { MachineDeployment } from '../../../../workflows/api/machine-deployment.ts';
import { aRequest } from '../../../activities/drivers/a-request.ts';

interface Secret {
  metadata: { name: string };
  stringData: Record<string, string>;
}

export interface Pool {
  secret: Secret;
  machineClass: MachineClass;
  deployment: MachineDeployment;
}

export const folder = join(repository, 'deploy/examples/clouds');
/** The others have every field once. */
const isPool = (file: string): boolean => file.includes('-');
export const files = readdirSync(folder).filter(isPool);

export function poolIn(file: string): Pool {
  const text = readFileSync(join(folder, file), 'utf8');
  const [secret, machineClass, deployment] = parseAllDocuments(text).map((one) => one.toJS());
  return { secret, machineClass, deployment };
}

export const token = 'abcdef.0123456789abcdef';

/** As a machine `m-1` is made with it. */
export function userDataOf({ stringData: { userData = '' } }: Secret): string {
  return String(fillUserData(userData, { machineName: 'm-1', bootstrapToken: token }));
}

export function requestOf({ secret, machineClass }: Pool): CreateRequest {
  const { stringData } = secret;
  const { providerSpec } = machineClass;
  return aRequest('m-1', { providerSpec, secret: stringData, userData: userDataOf(secret) });
}
