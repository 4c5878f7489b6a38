/**
 * What Azure's errors mean. Sources: Gardener's Azure driver, Azure's list of common deployment
 * errors, and the Resource Manager's and Entra's references.
 */
import type { ErrorTable, MeaningName } from '../error-meanings.ts';

/** By `error.code`, with any status but 429, see `busyCodes`. */
export const codeMeanings: ErrorTable = {
  TooManyRequests: 'throttling',
  SubscriptionRequestsThrottled: 'throttling',

  QuotaExceeded: 'quota',
  ResourceQuotaExceeded: 'quota',
  NetworkInterfaceCountLimitReached: 'quota',
  PublicIPCountLimitReached: 'quota',

  AllocationFailed: 'capacity',
  ZonalAllocationFailed: 'capacity',
  SkuNotAvailable: 'capacity',
  OverconstrainedAllocationRequest: 'capacity',
  OverconstrainedZonalAllocationRequest: 'capacity',
  SubnetIsFull: 'capacity',

  InvalidAuthenticationToken: 'unauthenticated',
  InvalidAuthenticationTokenTenant: 'unauthenticated',
  ExpiredAuthenticationToken: 'unauthenticated',
  AuthenticationFailed: 'unauthenticated',
  AuthenticationFailedMissingToken: 'unauthenticated',
  /** Codes of the authority that gives tokens. */
  invalid_client: 'unauthenticated',
  unauthorized_client: 'unauthenticated',
  invalid_grant: 'unauthenticated',
  invalid_request: 'unauthenticated',
  invalid_tenant: 'unauthenticated',
  /** A code of the identity library, as where there is no managed identity. */
  CredentialUnavailableError: 'unauthenticated',
  network_error: 'unavailable',

  AuthorizationFailed: 'forbidden',
  LinkedAuthorizationFailed: 'forbidden',
  RequestDisallowedByPolicy: 'forbidden',
  RequestDisallowedByAzure: 'forbidden',
  ReadOnlyDisabledSubscription: 'forbidden',
  SubscriptionNotFound: 'forbidden',
  SubscriptionNotRegistered: 'forbidden',
  MissingSubscriptionRegistration: 'forbidden',
  ScopeLocked: 'forbidden',

  InvalidParameter: 'input',
  InvalidParameterValue: 'input',
  InvalidRequestContent: 'input',
  InvalidRequestFormat: 'input',
  InvalidResourceReference: 'input',
  InvalidResourceName: 'input',
  InvalidTagNameCharacters: 'input',
  LocationNotAvailableForResourceType: 'input',
  BadRequest: 'input',
  LinkedInvalidPropertyId: 'input',
  ImageNotFound: 'input',
  PlatformImageNotFound: 'input',
  GalleryImageNotFound: 'input',
  MarketplacePurchaseEligibilityFailed: 'input',
  ResourcePurchaseValidationFailed: 'input',
  VMMarketplaceInvalidInput: 'input',
  PropertyChangeNotAllowed: 'precondition',
  /** The cloud does not know the API version that we ask for; no change of a class can fix that. */
  NoRegisteredProviderFound: 'precondition',
  NoRegisteredProviderFoundForApiVersion: 'precondition',
  InvalidApiVersionParameter: 'precondition',
  InvalidResourceType: 'precondition',
  /** A service that the cloud does not have at all. */
  InvalidResourceNamespace: 'precondition',
  /** A disk of the name is left from before. */
  ConflictingUserInput: 'taken',
  ParentResourceNotFound: 'missing',
  ResourceNotFound: 'missing',
  ResourceGroupNotFound: 'missing',
  NotFound: 'missing',

  Conflict: 'conflict',
  ConflictingConcurrentWriteNotAllowed: 'conflict',
  AnotherOperationInProgress: 'conflict',
  RetryableErrorDueToAnotherOperation: 'conflict',
  OperationPreempted: 'conflict',
  ResourceGroupBeingDeleted: 'conflict',
  InUseResourceCannotBeDeleted: 'conflict',
  NicInUse: 'conflict',
  NicReservedForAnotherVm: 'conflict',
  AttachDiskWhileBeingDetached: 'conflict',
  DiskInUse: 'conflict',
  ReferencedResourceNotProvisioned: 'conflict',
  PutOperationOnNonProvisionedResource: 'conflict',
  Canceled: 'conflict',

  InternalServerError: 'unavailable',
  InternalOperationError: 'unavailable',
  InternalExecutionError: 'unavailable',
  ServerTimeout: 'unavailable',
  GatewayTimeout: 'unavailable',
  ServiceUnavailable: 'unavailable',
  NetworkingInternalOperationError: 'unavailable',
  ECONNREFUSED: 'unavailable',
  ECONNRESET: 'unavailable',
  ENOTFOUND: 'unavailable',
  EAI_AGAIN: 'unavailable',
  EPIPE: 'unavailable',
  REQUEST_SEND_ERROR: 'unavailable',
  PARSE_ERROR: 'unavailable',
  ETIMEDOUT: 'unanswered',
};

/** Codes that mean several things, as their words show; these go before the table. */
export const messageMeanings: readonly {
  code: string;
  pattern: RegExp;
  meaning: MeaningName;
}[] = [
  { code: 'OperationNotAllowed', pattern: /exceed\w*.*quota|quota.*exceed/i, meaning: 'quota' },
  { code: 'OperationNotAllowed', pattern: /limit.*(reached|exceed)/i, meaning: 'quota' },
  {
    code: 'OperationNotAllowed',
    pattern: /attached to|in use|in progress|being|marked for deletion/i,
    meaning: 'conflict',
  },
  { code: 'OperationNotAllowed', pattern: /./, meaning: 'precondition' },
  // As Gardener's driver: the size does not exist here, another pool may have one that does.
  { code: 'BadRequest', pattern: /not supported/i, meaning: 'capacity' },
  { code: 'InvalidParameter', pattern: /size .* is not available/i, meaning: 'capacity' },
  // With our version among those that are supported it is the location that the cloud does not
  // know.
  {
    code: 'NoRegisteredProviderFound',
    pattern: /API version '([^']+)'.*api-versions are '[^']*\1/i,
    meaning: 'input',
  },
];

/**
 * Used when the code is not in the table. It has no 404: without a code of Azure's that is the
 * answer of something else, such as a proxy.
 */
export const statusMeanings: Readonly<Record<number, MeaningName>> = {
  400: 'input',
  401: 'unauthenticated',
  403: 'forbidden',
  408: 'unanswered',
  409: 'conflict',
  412: 'precondition',
  413: 'input',
  422: 'input',
};

export interface AzureAnswer {
  status?: number;
  code?: string;
  message: string;
  /** What to do if the cloud does not have the API version that was asked for. */
  versionAdvice?: string;
}

const versionCodes: readonly string[] = [
  'NoRegisteredProviderFound',
  'NoRegisteredProviderFoundForApiVersion',
  'InvalidApiVersionParameter',
  'InvalidResourceType',
];

/** Does the cloud refuse the version of the API, and nothing that stands in a class? */
export function lacksApiVersion(answer: AzureAnswer): boolean {
  return versionCodes.includes(answer.code ?? '') && meaningOf(answer) === 'precondition';
}

/** Does the cloud lack the service, or this version of it? */
export function lacksService(code: string | undefined): boolean {
  return versionCodes.includes(code ?? '') || code === 'InvalidResourceNamespace';
}

/**
 * With these 429 says nothing of the account: a subnet or another part is being changed, and the
 * network's service wants to be asked again.
 */
export const busyCodes: readonly string[] = [
  'RetryableErrorDueToAnotherOperation',
  'ReferencedResourceNotProvisioned',
];

export function meaningOf({ status, code, message }: AzureAnswer): MeaningName {
  // Throttling comes with codes that mean something else elsewhere, such as OperationNotAllowed.
  if (status === 429 && !busyCodes.includes(code ?? '')) return 'throttling';
  // Azure breaks lines in the middle of a sentence.
  const words = message.replaceAll(/\s+/g, ' ');
  const byWords = messageMeanings.find((row) => row.code === code && row.pattern.test(words));
  if (byWords) return byWords.meaning;
  const byCode = code === undefined ? undefined : codeMeanings[code];
  if (byCode) return byCode;
  if (status === undefined) return 'unknown';
  return status >= 500 ? 'unavailable' : (statusMeanings[status] ?? 'unknown');
}
