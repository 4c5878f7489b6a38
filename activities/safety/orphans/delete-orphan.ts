import type {
  OrphanDeletion,
  OrphanOutcome,
} from '../../../workflows/contracts/safety-activities.ts';
import { verdictOn } from '../../../workflows/plan/safety/orphan-claims.ts';
import type { ClassReader } from '../../machine-class/reader.ts';
import type { Driver } from '../../drivers/driver.ts';
import { askingCloud } from '../../drivers/asking-cloud.ts';
import { DriverError } from '../../drivers/driver.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import type { Audit } from '../../runtime/audit.ts';
import { auditListedDeletion } from '../../runtime/audit-instances.ts';
import { readClaims } from './machine-claims.ts';

export interface DeletionDependencies {
  driver: Pick<Driver, 'deleteListed'>;
  control: KubeClient;
  classes: ClassReader;
  signal(): AbortSignal;
  audit: Audit;
}

/**
 * Checks again before it deletes: since the listing a Machine may have been created that is to
 * take the instance over.
 */
export async function deleteOrphan(
  { driver, control, classes, signal, audit }: DeletionDependencies,
  { suspect, cluster, namespace }: OrphanDeletion,
): Promise<OrphanOutcome> {
  const { providerID, className } = suspect;
  const resolved = await classes.read(className, { isFresh: true });
  if (!resolved) return { outcome: 'kept', because: `MachineClass "${className}" is gone` };
  const verdict = verdictOn(suspect, await readClaims(control, namespace));
  if ('kept' in verdict) return { outcome: 'kept', because: verdict.kept };
  const { providerSpec } = resolved.machineClass;
  const { secret, secretFaults } = resolved;
  if (secretFaults.length > 0) return { outcome: 'failed', message: secretFaults.join('; ') };
  const request = { cluster, namespace, providerSpec, secret, providerID, signal: signal() };
  try {
    const [{ found }, asked] = await askingCloud(() => driver.deleteListed(request));
    const deleted = { namespace, providerID, className, ...asked };
    if (found) auditListedDeletion({ control, audit }, deleted);
    return { outcome: found ? 'deleted' : 'gone' };
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    return { outcome: 'failed', message: `${error.code}: ${error.message}` };
  }
}
