/**
 * What Compute Engine's errors mean. Tables in data; their sources are Google's pages on errors and
 * operations, and Gardener's driver.
 */
import { httpMeanings, meaningIn } from '../error-meanings.ts';
import type { ErrorTable, MeaningName } from '../error-meanings.ts';

/**
 * By reason: `error.errors[].reason` and `error.details[].reason` of an answer,
 * `error.errors[].code` of an operation. Google writes most of them in two ways.
 */
export const reasonMeanings = {
  // Too many calls.
  rateLimitExceeded: 'throttling',
  userRateLimitExceeded: 'throttling',
  RATE_LIMIT_EXCEEDED: 'throttling',
  resourceOperationRateExceeded: 'throttling',
  RESOURCE_OPERATION_RATE_EXCEEDED: 'throttling',
  CONCURRENT_OPERATIONS_QUOTA_EXCEEDED: 'throttling',
  // The project may not have more.
  quotaExceeded: 'quota',
  QUOTA_EXCEEDED: 'quota',
  limitExceeded: 'quota',
  LIMIT_EXCEEDED: 'quota',
  // The zone, or the subnetwork, has no more.
  RESOURCE_POOL_EXHAUSTED: 'capacity',
  ZONE_RESOURCE_POOL_EXHAUSTED: 'capacity',
  ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS: 'capacity',
  REGION_RESOURCE_POOL_EXHAUSTED: 'capacity',
  insufficientCapacity: 'capacity',
  resource_availability: 'capacity',
  stockout: 'capacity',
  IP_SPACE_EXHAUSTED: 'capacity',
  IP_SPACE_EXHAUSTED_WITH_DETAILS: 'capacity',
  // Google refuses the credentials of the Secret.
  authError: 'unauthenticated',
  ACCESS_TOKEN_EXPIRED: 'unauthenticated',
  ACCOUNT_STATE_INVALID: 'unauthenticated',
  CREDENTIALS_MISSING: 'unauthenticated',
  invalid_grant: 'unauthenticated',
  invalid_client: 'unauthenticated',
  unauthorized_client: 'unauthenticated',
  // It may not do this.
  forbidden: 'forbidden',
  insufficientPermissions: 'forbidden',
  IAM_PERMISSION_DENIED: 'forbidden',
  ACCESS_TOKEN_SCOPE_INSUFFICIENT: 'forbidden',
  PERMISSIONS_ERROR: 'forbidden',
  /** Of an operation, with status 400: `iam.serviceAccounts.actAs` is missing. */
  SERVICE_ACCOUNT_ACCESS_DENIED: 'forbidden',
  accessNotConfigured: 'forbidden',
  SERVICE_DISABLED: 'forbidden',
  CONSUMER_INVALID: 'forbidden',
  USER_PROJECT_DENIED: 'forbidden',
  BILLING_DISABLED: 'forbidden',
  // The class has to be changed.
  invalid: 'input',
  invalidParameter: 'input',
  invalidUsage: 'input',
  badRequest: 'input',
  parseError: 'input',
  required: 'input',
  wrongUrlFormat: 'input',
  unsupportedOperation: 'input',
  INVALID_FIELD_VALUE: 'input',
  INVALID_PARAMETER: 'input',
  INVALID_USAGE: 'input',
  UNSUPPORTED_OPERATION: 'input',
  // The thing, or the name.
  notFound: 'missing',
  RESOURCE_NOT_FOUND: 'missing',
  alreadyExists: 'taken',
  RESOURCE_ALREADY_EXISTS: 'taken',
  conditionNotMet: 'precondition',
  CONDITION_NOT_MET: 'precondition',
  resourceInUseByAnotherResource: 'precondition',
  RESOURCE_IN_USE_BY_ANOTHER_RESOURCE: 'precondition',
  // Asked again soon.
  conflict: 'conflict',
  OPERATION_CANCELED_BY_USER: 'conflict',
  resourceNotReady: 'unavailable',
  RESOURCE_NOT_READY: 'unavailable',
  backendError: 'unavailable',
  internalError: 'unavailable',
  INTERNAL_ERROR: 'unavailable',
  SERVICE_UNAVAILABLE: 'unavailable',
  TIMEOUT: 'unanswered',
} as const satisfies ErrorTable;

/** By HTTP status, where no reason is known. None means "missing": that takes the reason. */
export const statusMeanings = {
  ...httpMeanings,
  '408': 'unanswered',
  '412': 'precondition',
  '413': 'input',
} as const satisfies ErrorTable;

interface WordsMeaning {
  words: RegExp;
  meaning: MeaningName;
}

/** By its words, where Google gives several things one reason. Looked at first. */
const wordsMeanings: readonly WordsMeaning[] = [
  // As with Gardener's driver, whatever it is: the zone may get that type, or another class of the
  // pool fits.
  { words: /does not exist in zone/i, meaning: 'capacity' },
  {
    words: /\/zones\/[^/']+\/(accelerator|disk|machine)Types\/[^/']+' was not found/i,
    meaning: 'capacity',
  },
  // Not the instance, but where it would be: to take that for "nothing there" would leave instances
  // behind.
  { words: /'projects\/[^/']+(\/zones\/[^/']+)?' was not found|unknown zone/i, meaning: 'input' },
  // Not the name of a right, `compute.instances.setDeletionProtection`, that is missing.
  { words: /protected against deletion|deletion protection/i, meaning: 'precondition' },
];

/**
 * If one answer or operation has several errors, the first of these meanings counts: the one to act
 * on comes first.
 */
const order: readonly MeaningName[] = [
  'capacity',
  'quota',
  'throttling',
  'unauthenticated',
  'forbidden',
  'input',
  'taken',
  'precondition',
  'missing',
  'conflict',
  'unanswered',
  'unavailable',
];

export interface ComputeErrors {
  /** HTTP status of an answer; absent for an operation. */
  status?: number;
  reasons: readonly string[];
  message: string;
}

export function meaningOf({ status, reasons, message }: ComputeErrors): MeaningName {
  // Some 401 carry the reason `required`, which otherwise says that a field is missing.
  if (status === 401) return 'unauthenticated';
  const byWords = wordsMeanings.find(({ words }) => words.test(message))?.meaning;
  if (byWords) return byWords;
  const found = new Set(reasons.map(meaningOfReason));
  const known = order.find((meaning) => found.has(meaning));
  return known ?? meaningIn(statusMeanings, String(status)) ?? 'unknown';
}

/**
 * The meaning of an answer that is not in Google's form: at most it shows trouble of a proxy.
 */
export function meaningOfStranger(status: number): MeaningName {
  const meaning = status === 429 ? 'unavailable' : meaningIn(statusMeanings, String(status));
  return meaning === 'unavailable' || meaning === 'unanswered' ? meaning : 'unknown';
}

function meaningOfReason(reason: string): MeaningName | undefined {
  // As with Gardener's driver: GPUS_ALL_REGIONS_QUOTA_EXCEEDED and others of the kind.
  return meaningIn(reasonMeanings, reason) ?? (reason.includes('QUOTA') ? 'quota' : undefined);
}
