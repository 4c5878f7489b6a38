import type {
  FinalCheck,
  FinalCheckRequest,
} from '../../../workflows/contracts/safety-activities.ts';
import { verdictOn } from '../../../workflows/plan/safety/orphan-claims.ts';
import type { ListDependencies } from './list-scopes.ts';
import { listIn, listScopes } from './list-scopes.ts';
import { readClaims } from './machine-claims.ts';

const examplesMax = 10;

/**
 * A class that is going as well leads nowhere: of two that are deleted together each check counts.
 */
export async function checkFinally(
  dependencies: ListDependencies,
  request: FinalCheckRequest,
): Promise<FinalCheck> {
  const { className, namespace } = request;
  const scopes = await listScopes(dependencies, request);
  const scope = scopes.find(({ classes }) =>
    classes.some(({ metadata }) => metadata.name === className),
  );
  const others = scope?.classes.filter(({ metadata }) => metadata.name !== className) ?? [];
  const isReached = others.some(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (!scope || isReached) return { left: 0, examples: [] };
  const { instances, error } = await listIn(dependencies, scope, request);
  const claims = await readClaims(dependencies.control, namespace);
  const left = instances
    .filter((instance) => 'orphan' in verdictOn(instance, claims))
    .map(({ providerID }) => providerID);
  const examples = left.slice(0, examplesMax);
  return { left: left.length, examples, ...(error !== undefined && { error }) };
}
