/** Which trouble a refused creation is: by its code and, where one code has several, its words. */
import type { Machine } from './machine.ts';
import type { MachineErrorCode } from './failures.ts';

/** Names of decision 49. */
export type CreationTrouble =
  'quota' | 'capacity' | 'bad-spec' | 'missing-secret' | 'credentials' | 'worker-down';

/** As activities/machine/record.ts writes it, in the form of MCM v0.62.1. */
const inBrackets = /machine codes error: code = \[[^\]]*\] message = \[(.*)\]$/s;

/** The words of the cloud itself. */
export function failureMessageOf({ status }: Machine): string {
  const { description = '' } = status?.lastOperation ?? {};
  // A machine that was given up says that last; the cloud's own words are beside it.
  return wordsIn(description) ?? wordsIn(status?.failureMessage ?? '') ?? description;
}

const wordsIn = (text: string): string | undefined => inBrackets.exec(text)?.[1];

const byCode: Partial<Record<MachineErrorCode, CreationTrouble>> = {
  InvalidArgument: 'bad-spec',
  NotFound: 'bad-spec',
  AlreadyExists: 'bad-spec',
  OutOfRange: 'bad-spec',
  Unimplemented: 'bad-spec',
  FailedPrecondition: 'bad-spec',
  PermissionDenied: 'credentials',
  Unauthenticated: 'credentials',
  ResourceExhausted: 'capacity',
};

/**
 * MCM's code for an exhausted quota and for a full zone is ResourceExhausted: the message of the
 * cloud says which one it is. Undefined where a retry may help as well as anything.
 */
export function creationTroubleOf(errorCode: string, words: string): CreationTrouble | undefined {
  if (words.startsWith('no worker serves provider ')) return 'worker-down';
  // Its codes are those of a cloud, but other rights than those of the credentials are missing.
  if (isOfApiServer(words)) return undefined;
  const trouble = Object.entries(byCode).find(([code]) => code === errorCode)?.[1];
  if (trouble === 'capacity' && /quota|limit|may not have more/i.test(words)) return 'quota';
  return trouble === 'bad-spec' ? refusalOf(words) : trouble;
}

/** Not the cloud has failed, but a call to Kubernetes: by the form of `KubeError`. */
export function isOfApiServer(words: string): boolean {
  return /: (?:GET|POST|PUT|PATCH|DELETE) \/apis?\/\S*: /.test(words);
}

/** Why machines of a class cannot be created, by its annotation: the same words as theirs. */
export function refusalOf(words: string): CreationTrouble {
  if (/has no driver: no worker serves/.test(words)) return 'worker-down';
  if (words.startsWith('credentials: ')) return 'credentials';
  return /(Secret|MachineClass) "[^"]*" does not exist/.test(words) ? 'missing-secret' : 'bad-spec';
}
