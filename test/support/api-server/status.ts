/** The answers of an API server that are errors, in its own words. */
import type { StatusCause, StatusDetails } from '../../../kube/client/errors.ts';
import type { Target } from './paths.ts';
import type { Resource } from './resources.ts';
import { qualified } from './resources.ts';

export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: { continue?: string };
  status: 'Success' | 'Failure';
  message?: string;
  /** Missing where the server has no name for what went wrong: a 500. */
  reason?: string;
  details?: StatusDetails & { group?: string };
  code?: number;
}

/** Thrown on the way to an answer; both faces of the server make an answer of it. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: Status & { code: number };

  constructor(status: Partial<Status> & { code: number }) {
    super(status.message ?? status.reason ?? String(status.code));
    this.status = { ...kindOfStatus, metadata: {}, status: 'Failure', ...status };
  }
}

const kindOfStatus = { kind: 'Status', apiVersion: 'v1' } as const;

/** What is said of a deletion that is done, and of an eviction. */
export function success(fields: Partial<Status> = {}): Status {
  return { ...kindOfStatus, metadata: {}, status: 'Success', ...fields };
}

/** The resource, or the kind where the server says that in the same place. */
function detailsOf(name: string, { group }: Resource, kind: string): Status['details'] & object {
  return { ...(name !== '' && { name }), ...(group !== '' && { group }), kind };
}

/** Of an object that was deleted. */
export function detailsOfDeleted(
  { resource, name }: Target,
  uid: string,
): Status['details'] & object {
  return { ...detailsOf(name, resource, resource.plural), uid };
}

export function notFound({ resource, name }: Target): StatusError {
  const { plural } = resource;
  return new StatusError({
    code: 404,
    reason: 'NotFound',
    message: `${qualified(plural, resource)} ${JSON.stringify(name)} not found`,
    details: detailsOf(name, resource, plural),
  });
}

/** A path that names nothing. */
export function nothingServed(): StatusError {
  const message = 'the server could not find the requested resource';
  return new StatusError({ code: 404, reason: 'NotFound', message, details: {} });
}

export function methodNotAllowed(): StatusError {
  const message = 'the server does not allow this method on the requested resource';
  return new StatusError({ code: 405, reason: 'MethodNotAllowed', message, details: {} });
}

export function badRequest(message: string): StatusError {
  return new StatusError({ code: 400, reason: 'BadRequest', message });
}

/** What the server has not foreseen: no reason. */
export function internalError(message: string): StatusError {
  return new StatusError({ code: 500, message });
}

export function alreadyExists({ resource, name }: Target, isGoing: boolean): StatusError {
  const { plural } = resource;
  const note = isGoing ? 'object is being deleted: ' : '';
  return new StatusError({
    code: 409,
    reason: 'AlreadyExists',
    message: `${note}${qualified(plural, resource)} ${JSON.stringify(name)} already exists`,
    details: detailsOf(name, resource, plural),
  });
}

/** Names the resource for a write, and the kind for a precondition of a deletion. */
function conflict({ resource, name }: Target, called: string, why: string): StatusError {
  const what = `${qualified(called, resource)} ${JSON.stringify(name)}`;
  return new StatusError({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${what}: ${why}`,
    details: detailsOf(name, resource, called),
  });
}

export function modified(target: Target): StatusError {
  const why =
    'the object has been modified; please apply your changes to the latest version and try again';
  return conflict(target, target.resource.plural, why);
}

export function anotherUid(target: Target, wanted: unknown, present: string): StatusError {
  const why = `the UID in the precondition (${String(wanted)}) does not match the UID in record (${present}). The object might have been deleted and then recreated`;
  return conflict(target, target.resource.kind, why);
}

export function anotherVersion(target: Target, wanted: unknown, present: string): StatusError {
  const why = `the ResourceVersion in the precondition (${String(wanted)}) does not match the ResourceVersion in record (${present}). The object might have been modified`;
  return conflict(target, target.resource.kind, why);
}

/** Of a write of a whole object. */
export function otherUid(target: Target, wanted: string, present: string): StatusError {
  const { resource, namespace, name } = target;
  const key = ['/registry', storedAs(resource), ...(namespace === '' ? [] : [namespace]), name];
  const why = `StorageError: invalid object, Code: 4, Key: ${key.join('/')}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${present}`;
  return conflict(target, resource.plural, why);
}

/** The folder in etcd. */
function storedAs({ group, plural, isCustom }: Resource): string {
  if (plural === 'nodes') return 'minions';
  return isCustom ? `${group}/${plural}` : plural;
}

export type Cause = Required<StatusCause>;

/** `called`: the kind, but where the store itself says it the resource. */
export function invalid(
  { resource, name }: Target,
  causes: readonly Cause[],
  called = resource.kind,
): StatusError {
  const what = `${qualified(called, resource)} ${JSON.stringify(name)}`;
  // What is found twice is said once.
  const texts = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))];
  return new StatusError({
    code: 422,
    reason: 'Invalid',
    message: `${what} is invalid: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`,
    details: { ...detailsOf(name, resource, called), causes: [...causes] },
  });
}

/** Of a value that is not allowed: the value, and what is. */
export function causeOf(field: string, value: string): Cause {
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${value}`, field };
}

/** A JSON patch that does not apply; the server does not say which of its operations. */
export function patchDoesNotApply(): StatusError {
  const message = 'the server rejected our request due to an error in our request';
  return new StatusError({ code: 422, reason: 'Invalid', message, details: {} });
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return new StatusError({ code: 415, reason: 'UnsupportedMediaType', message });
}

/** The history does not go back so far. `token` goes on with the list all the same. */
export function expired(message: string, token?: string): StatusError {
  const metadata = token === undefined ? {} : { continue: token };
  return new StatusError({ code: 410, reason: 'Expired', message, metadata });
}

/** The server waited for the version to come, and gave up. */
export function tooLargeVersion(wanted: number, present: number): StatusError {
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
  return new StatusError({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${wanted}, current: ${present}`,
    details: { causes, retryAfterSeconds: 1 },
  });
}

/** An error that a test chooses. */
export function statusOf(code: number, reason: string, details: StatusDetails = {}): Status {
  return new StatusError({ code, reason, message: `${reason} it is`, details }).status;
}
