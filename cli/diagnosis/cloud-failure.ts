/** What a Machine says that the cloud, or what is before it, has refused. */
import type { MachineErrorCode } from '../../workflows/api/failures.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { Trouble } from './trouble.ts';

export interface CloudFailure {
  /** Undefined where a retry may help as well as anything. */
  trouble: Trouble | undefined;
  cause: string;
}

/** As activities/machine/record.ts writes it, in the form of MCM v0.62.1. */
const inBrackets = /machine codes error: code = \[[^\]]*\] message = \[(.*)\]$/s;

export function cloudFailureOf({ status }: Machine): CloudFailure {
  const { description = '', errorCode = '' } = status?.lastOperation ?? {};
  // A machine that was given up says that last; the cloud's own words are beside it.
  const words = wordsIn(description) ?? wordsIn(status?.failureMessage ?? '') ?? description;
  const trouble = troubleOf(errorCode, words);
  return { trouble, cause: `${introductionOf(trouble)}: ${words}` };
}

const wordsIn = (text: string): string | undefined => inBrackets.exec(text)?.[1];

const byCode: Partial<Record<MachineErrorCode, Trouble>> = {
  InvalidArgument: 'bad-spec',
  OutOfRange: 'bad-spec',
  Unimplemented: 'bad-spec',
  FailedPrecondition: 'bad-spec',
  PermissionDenied: 'credentials',
  Unauthenticated: 'credentials',
  ResourceExhausted: 'capacity',
};

const introductions: Partial<Record<Trouble, string>> = {
  'bad-spec': 'what is written is refused',
  'missing-secret': 'what it is made from is missing',
  credentials: 'the cloud refuses the credentials',
  quota: "the account's quota is used up",
  capacity: 'the cloud has no room',
  'worker-down': 'no worker serves its provider',
};

function introductionOf(trouble: Trouble | undefined): string {
  return (trouble && introductions[trouble]) ?? 'the cloud fails';
}

/**
 * Both a quota and a full zone are ResourceExhausted to MCM; clouds say in words which of the two
 * it is.
 */
export function troubleOf(errorCode: string, words: string): Trouble | undefined {
  const trouble = Object.entries(byCode).find(([code]) => code === errorCode)?.[1];
  if (trouble === 'capacity' && isQuota(words)) return 'quota';
  if (trouble !== 'bad-spec') return trouble;
  return refusalOf(words);
}

/** Of a class, whose annotation says the same as its machines. */
export function refusalOf(words: string): Trouble {
  if (/has no driver: no worker serves/.test(words)) return 'worker-down';
  if (words.startsWith('credentials: ')) return 'credentials';
  return /(Secret|MachineClass) "[^"]*" does not exist/.test(words) ? 'missing-secret' : 'bad-spec';
}

function isQuota(words: string): boolean {
  return /quota|limit|may not have more/i.test(words);
}
