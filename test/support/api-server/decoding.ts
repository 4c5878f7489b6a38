/** Whether a body that a client sends is of the kind that its path serves. */
import type { ObjectMeta } from '../../../kube/client/client.ts';
import type { Target } from './paths.ts';
import { apiVersionOf, resources } from './resources.ts';
import { badRequest } from './status.ts';

/** What a client sends. */
export interface Body {
  apiVersion?: string;
  kind?: string;
  metadata?: Partial<ObjectMeta>;
  [field: string]: unknown;
}

/** Asked before anything is looked up. */
export function requireReadable(target: Target, body: Body): void {
  if (target.resource.isCustom) requireSaid(target, body);
  else requireConvertible(target, body);
}

/** Another kind than the one that is served is refused later, with what else is wrong. */
function requireSaid({ resource }: Target, body: Body): void {
  const { kind = '', apiVersion = '' } = body;
  if (kind === '') throw kindMissing(resource.kind, body);
  const expected = apiVersionOf(resource);
  if (apiVersion === expected) return;
  throw badRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
  );
}

const shownCharacters = 30;

function kindMissing(wanted: string, body: Body): Error {
  const text = JSON.stringify(body);
  const isLong = text.length > shownCharacters;
  const beginning = isLong ? `${text.slice(0, shownCharacters)} ...` : text;
  return badRequest(
    `the object provided is unrecognized (must be of type ${wanted}): Object 'Kind' is missing in '${text}' (${beginning})`,
  );
}

/** What is left out is filled in. */
function requireConvertible({ resource }: Target, { kind = '', apiVersion = '' }: Body): void {
  const served = apiVersionOf(resource);
  const [sentKind, sentVersion] = [kind || resource.kind, apiVersion || served];
  if (sentKind === resource.kind && sentVersion === served) return;
  const version = sentVersion.split('/').at(-1) ?? '';
  const what = `${sentKind} in version ${JSON.stringify(version)} cannot be handled as a ${resource.kind}`;
  const isKnown = resources.some(
    (one) => one.kind === sentKind && apiVersionOf(one) === sentVersion && !one.isCustom,
  );
  throw badRequest(
    isKnown
      ? `${what}: converting (${version}.${sentKind}) to (${groupName(resource.group)}.${resource.kind}): unknown conversion`
      : `${what}: no kind ${JSON.stringify(sentKind)} is registered for version ${JSON.stringify(sentVersion)} in scheme "pkg/runtime/scheme.go:111"`,
  );
}

/** As in the source of the server. */
function groupName(group: string): string {
  return group === '' ? 'core' : (group.split('.')[0] ?? '');
}
