/** Lists what a cloud has of ours, and says what of it no Machine knows. */
import type { OrphanLookRequest } from '../../workflows/activities.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { Claims, KeptReason } from '../../workflows/plan/orphan-claims.ts';
import { verdictAt } from '../../workflows/plan/orphan-claims.ts';
import type { ScopeLook, Suspect } from '../../workflows/plan/orphan-sweep.ts';
import type { Driver, ListedInstance } from '../drivers/driver.ts';
import { DriverError } from '../drivers/driver.ts';
import type { KubeClient } from '../kube/client.ts';
import { customResource } from '../kube/paths.ts';
import type { ListScope } from './list-scopes.ts';
import { listScopes } from './list-scopes.ts';
import { readClaims } from './machine-claims.ts';

export interface LookWorld {
  driver: Pick<Driver, 'listInstances' | 'listScope'>;
  control: KubeClient;
  /** Aborts the listings. */
  signal(): AbortSignal;
}

/** The answer stands in a history. More suspects than the largest bound on deletions are of no use there. */
const suspectsMax = 200;

interface Listing {
  scope: ListScope;
  instances: ListedInstance[];
  error?: string;
}

export async function lookForOrphans(
  world: LookWorld,
  request: OrphanLookRequest,
): Promise<ScopeLook[]> {
  const { control, driver } = world;
  const { namespace, provider } = request;
  const { items } = await control.list<MachineClass>(customResource('machineclasses', namespace));
  const classes = items.filter((machineClass) => machineClass.provider === provider);
  const scopes = await listScopes(control, driver, { namespace, classes });
  const listings = await Promise.all(scopes.map((scope) => listIn(world, scope, request)));
  // After the instances: the Machine of each was there before it.
  const claims = await readClaims(control, namespace);
  return listings.map((listing) => lookOf(listing, claims, request));
}

/** A scope that cannot be listed does not hide the others. */
async function listIn(
  { driver, signal }: LookWorld,
  scope: ListScope,
  { cluster, namespace }: OrphanLookRequest,
): Promise<Listing> {
  const { machineClass, secret, missingSecrets } = scope;
  if (missingSecrets.length > 0) {
    const error = `secretRef.name: Secret "${missingSecrets.join('", "')}" does not exist in namespace ${namespace}`;
    return { scope, instances: [], error };
  }
  const { providerSpec } = machineClass;
  try {
    const request = { cluster, namespace, providerSpec, secret, signal: signal() };
    return { scope, instances: await driver.listInstances(request) };
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    return { scope, instances: [], error: `${error.code}: ${error.message}` };
  }
}

function lookOf(
  { scope, instances, error }: Listing,
  claims: Claims,
  { provider, minAgeSeconds }: OrphanLookRequest,
): ScopeLook {
  const className = scope.machineClass.metadata.name;
  const kept: Partial<Record<KeptReason, number>> = {};
  const suspects: Suspect[] = [];
  const now = Date.now();
  for (const instance of instances) {
    const verdict = verdictAt(now, instance, { claims, minAgeSeconds });
    if ('kept' in verdict) kept[verdict.kept] = (kept[verdict.kept] ?? 0) + 1;
    else {
      const { createdAt: _known, ...identity } = instance;
      suspects.push({ ...identity, because: verdict.orphan, provider, className });
    }
  }
  return {
    provider,
    className,
    classCount: scope.classCount,
    kept,
    suspects: suspects.slice(0, suspectsMax),
    omitted: Math.max(suspects.length - suspectsMax, 0),
    ...(error !== undefined && { error }),
  };
}
