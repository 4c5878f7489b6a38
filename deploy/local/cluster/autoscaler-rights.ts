/** The rights that users give to the cluster autoscaler, for that of the local stack. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { repository, type User } from '../layout.ts';
import { bindingOf, isRole, type Manifest } from './rights.ts';

const file = join(repository, 'deploy/examples/cluster-autoscaler/rights.yaml');
const user: User = 'cluster-autoscaler';

export function rightsOfAutoscaler(namespace: string): Manifest[] {
  const objects = parseAllDocuments(readFileSync(file, 'utf8'));
  return objects
    .map((document): Manifest => document.toJS())
    .filter(isRole)
    .flatMap((role) => {
      const place = role.kind === 'Role' ? { namespace } : {};
      const placed = { ...role, metadata: { ...role.metadata, ...place } };
      return [placed, bindingOf(placed, [user])];
    });
}
