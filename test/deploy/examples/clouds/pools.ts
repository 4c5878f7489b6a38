/** The pools of deploy/examples/clouds to begin with, and how a driver is asked for one of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { CreateRequest } from '../../../../activities/drivers/driver.ts';
import { fillUserData } from '../../../../activities/machine-class/user-data.ts';
import { repository } from '../../../../deploy/local/layout.ts';
import { readConfig } from '../../../../userdata/documents.ts';
import { builtInProfile } from '../../../../userdata/profiles.ts';
import { render, type UserDataInput } from '../../../../userdata/render.ts';
import { annotations } from '../../../../workflows/api/constants.ts';
import type { MachineClass } from '../../../../workflows/api/machine-class.ts';
import type { MachineDeployment } from '../../../../workflows/api/machine-deployment.ts';
import { aRequest } from '../../../activities/drivers/a-request.ts';
import { withAuthority } from '../../../support/example-authority.ts';

interface Secret {
  metadata: { name: string };
  stringData: Record<string, string>;
}

interface ConfigMap {
  metadata: { name: string };
  data: Record<string, string>;
}

export interface Pool {
  secret: Secret;
  /** Of pools whose user data Millwright makes. */
  configMap: ConfigMap | undefined;
  machineClass: MachineClass;
  deployment: MachineDeployment;
}

export const folder = join(repository, 'deploy/examples/clouds');
/** The others have every field once. */
const isPool = (file: string): boolean => file.includes('-');
export const files = readdirSync(folder).filter(isPool);

export function poolIn(file: string): Pool {
  const text = readFileSync(join(folder, file), 'utf8');
  const objects = parseAllDocuments(text).map((one) => one.toJS());
  const ofKind = (wanted: string) => objects.find(({ kind }) => kind === wanted);
  return {
    secret: ofKind('Secret'),
    configMap: ofKind('ConfigMap'),
    machineClass: ofKind('MachineClass'),
    deployment: ofKind('MachineDeployment'),
  };
}

export const token = 'abcdef.0123456789abcdef';

/** With the certificate that a reader puts in. */
export function inputOf({ configMap, machineClass }: Pool): UserDataInput {
  const text = configMap?.data['config.yaml'] ?? '';
  const config = readConfig(withAuthority(text), 'config.yaml');
  const profile = builtInProfile(machineClass.metadata.annotations?.[annotations.userData] ?? '');
  if (config.faults) throw new Error(config.faults.join('\n'));
  if (!profile) throw new Error('the class names no profile that there is');
  return { config: config.value, profile, provider: machineClass.provider ?? '' };
}

/** As a machine `m-1` is made with it. */
export function userDataOf(pool: Pool): string {
  const values = { machineName: 'm-1', bootstrapToken: token };
  if (pool.configMap) return render(inputOf(pool), { ...values, secrets: {} }).text;
  return String(fillUserData(pool.secret.stringData['userData'] ?? '', values));
}

export function requestOf(pool: Pool): CreateRequest {
  const { secret, machineClass } = pool;
  const { providerSpec } = machineClass;
  const userData = userDataOf(pool);
  return aRequest('m-1', { providerSpec, secret: secret.stringData, userData });
}
