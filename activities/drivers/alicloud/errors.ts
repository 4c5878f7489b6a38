/**
 * What the errors of ECS mean. Tables in data; their sources are Alibaba Cloud's pages on the
 * calls, and Gardener's driver.
 */
import { httpMeanings, meaningIn } from '../error-meanings.ts';
import type { ErrorTable, MeaningName } from '../error-meanings.ts';
import type { Death } from '../frame/cloud.ts';
import { fault } from '../frame/fault.ts';
import type { Refusal, RestAnswer } from '../frame/http.ts';

export const codeMeanings = {
  // The account may not have more.
  'QuotaExceed.DiskCapacity': 'quota',
  'QuotaExceed.ElasticQuota': 'quota',
  InstanceQuotaExceeded: 'quota',
  // The zone has no more, or never had it: another zone, or another class of the pool, fits.
  'OperationDenied.NoStock': 'capacity',
  'OperationDenied.CloudSSDNotSupported': 'capacity',
  'OperationDenied.ZoneNotAllowed': 'capacity',
  'OperationDenied.ZoneSystemCategoryNotMatch': 'capacity',
  'Zone.NotOnSale': 'capacity',
  'Zone.NotOpen': 'capacity',
  'InvalidVpcZone.NotSupported': 'capacity',
  'InvalidResourceType.NotSupported': 'capacity',
  'InvalidInstanceType.ZoneNotSupported': 'capacity',
  'InvalidZoneId.NotSupportShareEncryptedImage': 'capacity',
  ResourceNotAvailable: 'capacity',
  'InvalidVSwitchId.IpNotEnough': 'capacity',
  // Alibaba Cloud refuses the credentials of the Secret.
  SignatureDoesNotMatch: 'unauthenticated',
  IncompleteSignature: 'unauthenticated',
  MissingAccessKeyId: 'unauthenticated',
  // It may not do this, or the account does not pay.
  NoPermission: 'forbidden',
  UnauthorizedOperation: 'forbidden',
  'InvalidAccountStatus.NotEnoughBalance': 'forbidden',
  'Account.Arrearage': 'forbidden',
  // The thing.
  'InvalidInstanceId.NotFound': 'missing',
  // Not until the instance is changed.
  'InvalidOperation.DeletionProtection': 'precondition',
  'OperationDenied.DeletionProtection': 'precondition',
  InstanceLockedForSecurity: 'precondition',
  // Asked again soon.
  IdempotentParameterMismatch: 'conflict',
  IdempotentProcessing: 'conflict',
  OperationConflict: 'conflict',
  SignatureNonceUsed: 'unavailable',
  ServiceUnavailable: 'unavailable',
  UnknownError: 'unavailable',
} as const satisfies ErrorTable;

/** By how a code begins, where the table does not have it. The first counts. */
export const prefixMeanings: readonly (readonly [string, MeaningName])[] = [
  // Throttling is no lack of capacity: the autoscaler must not give up the pool.
  ['Throttling', 'throttling'],
  ['QuotaExceed', 'quota'],
  ['InvalidAccessKeyId', 'unauthenticated'],
  ['InvalidSecurityToken', 'unauthenticated'],
  ['Forbidden', 'forbidden'],
  ['IncorrectInstanceStatus', 'conflict'],
  ['ChargeTypeViolation', 'precondition'],
  ['InternalError', 'unavailable'],
  // The clock of this process, or a request that was under way for long.
  ['InvalidTimeStamp', 'unavailable'],
  ['OperationDenied', 'input'],
  ['Invalid', 'input'],
  ['Missing', 'input'],
];

/** By HTTP status, where no code is known. None means "missing": that takes the code. */
export const statusMeanings = {
  ...httpMeanings,
  '404': 'input',
} as const satisfies ErrorTable;

export function meaningOf(code: string, status: number): MeaningName {
  const prefix = prefixMeanings.find(([start]) => code.startsWith(start))?.[1];
  return (
    meaningIn(codeMeanings, code) ??
    prefix ??
    meaningIn(statusMeanings, String(status)) ??
    'unknown'
  );
}

/** Undefined when the answer has not the form of Alibaba Cloud. */
export function refusalIn({ status, headers, json }: RestAnswer): Refusal | undefined {
  const { Code: code, Message: message, RequestId: requestId } = Object(json);
  if (typeof code !== 'string' || typeof requestId !== 'string') return undefined;
  const milliseconds = Number(headers['x-acs-retry-after'] ?? Number.NaN);
  return {
    meaning: meaningOf(code, status),
    code,
    words: wordsOf(message),
    ...(milliseconds >= 0 && { retryAfterSeconds: Math.ceil(milliseconds / 1_000) }),
  };
}

/** A refused signature is answered with all that was signed, and so with the user data. */
function wordsOf(message: unknown): string {
  if (typeof message !== 'string') return 'no message';
  const [words = ''] = message.split(/server\s*(?:string\s*to\s*sign|canonical\s*request)/i);
  return words.trim().slice(0, 500);
}

const isSpot = (strategy: unknown): boolean => String(strategy).startsWith('Spot');
const takenBack = 'Alibaba Cloud takes spot instances back where it needs the capacity';

/** `start`: the instance and its state, in words, as the message begins. */
export function deathOf(start: string, spotStrategy: unknown): Death {
  return isSpot(spotStrategy)
    ? { meaning: 'capacity', message: `${start}; ${takenBack}` }
    : { meaning: 'conflict', message: `${start}; something has stopped it` };
}

export function disappearance(name: string, providerSpec: unknown) {
  const message = `instance ${name} has gone right after it was made: ${takenBack}`;
  return isSpot(Object(providerSpec)['spotStrategy'])
    ? fault('capacity', message, true)
    : undefined;
}
