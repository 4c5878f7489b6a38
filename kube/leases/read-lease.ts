import type { NamespacedName } from '../../workflows/contracts/references.ts';
import type { KubeClient } from '../client/client.ts';
import { ignoreNotFound } from '../client/ignore.ts';
import { lease as leasePath } from '../client/paths.ts';
import type { Lease } from './observed-lease.ts';

/** Undefined: there is none. */
export async function readLease(
  client: KubeClient,
  { namespace, name }: NamespacedName,
): Promise<Lease | undefined> {
  return await ignoreNotFound(client.get<Lease>(leasePath(namespace, name)));
}
