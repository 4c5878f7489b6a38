/**
 * Gardener's extensions tell by expressions over the description of a failed machine whether to try
 * again, and what to show the owner of the shoot (`pkg/apis/<cloud>/helper/error_codes.go` of
 * gardener-extension-provider-aws, -azure and -gcp). Here are those expressions as data.
 */

export type Cloud = 'aws' | 'azure' | 'gcp';

type Expressions = Record<string, string[]>;

/** What all three look for. */
const ofAll: Expressions = {
  ERR_INFRA_UNAUTHENTICATED: ['InvalidSecretAccessKey'],
  ERR_INFRA_UNAUTHORIZED: ['Unauthorized', 'SignatureDoesNotMatch', 'AccessDenied'],
  ERR_INFRA_QUOTA_EXCEEDED: [
    '(?<!request)LimitExceeded',
    'Quotas',
    'Quota.*exceeded',
    'exceeded quota',
    'Quota has been met',
    'QUOTA_EXCEEDED',
  ],
  ERR_INFRA_RATE_LIMITS_EXCEEDED: ['RequestLimitExceeded', 'Throttling', 'Too many requests'],
  ERR_INFRA_DEPENDENCIES: [
    'PendingVerification',
    'Access Not Configured',
    'accessNotConfigured',
    'DependencyViolation',
    'OptInRequired',
    'Conflict',
    'inactive billing state',
    'timeout while waiting for state to become',
    'InvalidCidrBlock',
    'already busy for',
    'internal server error',
    'A resource with the ID',
  ],
  ERR_RETRYABLE_INFRA_DEPENDENCIES: ['RetryableError'],
  ERR_INFRA_RESOURCES_DEPLETED: ['not available in the current hardware cluster', 'out of stock'],
  ERR_CONFIGURATION_PROBLEM: [
    'notFound',
    'Invalid value',
    'not supported in your requested Availability Zone',
    'violates constraint',
    'no attached internet gateway found',
    'invalid VPC attributes',
    'strict decoder error',
    'duplicate zones',
    'overlapping zones',
  ],
  ERR_RETRYABLE_CONFIGURATION_PROBLEM: [
    'is misconfigured and requires zero voluntary evictions',
    'SDK.CanNotResolveEndpoint',
    'The requested configuration is currently not supported',
  ],
};

const ofOne: Record<Cloud, Expressions> = {
  aws: {
    ERR_INFRA_UNAUTHENTICATED: ['AuthFailure', 'InvalidAccessKeyId'],
    ERR_INFRA_UNAUTHORIZED: ['InvalidClientTokenId'],
    ERR_INFRA_DEPENDENCIES: ['InsufficientFreeAddressesInSubnet'],
    ERR_INFRA_RESOURCES_DEPLETED: ['InsufficientInstanceCapacity'],
    ERR_CONFIGURATION_PROBLEM: ['InvalidParameterValue', 'InvalidSubnet'],
  },
  azure: {
    ERR_INFRA_UNAUTHENTICATED: [
      'InvalidAuthenticationTokenTenant',
      'Authentication failed',
      'invalid character',
      'invalid_client',
      'cannot fetch token',
      'InvalidSubscriptionId',
    ],
    ERR_INFRA_UNAUTHORIZED: [
      'AuthorizationFailed',
      'invalid_grant',
      'no active subscriptions',
      'not authorized',
      'OperationNotAllowed',
    ],
    ERR_INFRA_QUOTA_EXCEEDED: ['exceeding approved .{0,60}quota'],
    ERR_INFRA_DEPENDENCIES: [
      'ReadOnlyDisabledSubscription',
      'is already being used',
      'InternalServerError',
      'InternalBillingError',
    ],
    ERR_INFRA_RESOURCES_DEPLETED: ['SkuNotAvailable', 'ZonalAllocationFailed'],
    ERR_CONFIGURATION_PROBLEM: ['InvalidParameter', 'OverconstrainedZonalAllocationRequest'],
  },
  gcp: {
    ERR_INFRA_UNAUTHENTICATED: [
      'Authentication failed',
      'invalid character',
      'invalid_client',
      'cannot fetch token',
    ],
    ERR_INFRA_UNAUTHORIZED: ['invalid_grant', 'not authorized', 'Error 403'],
    ERR_INFRA_QUOTA_EXCEEDED: ['ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS'],
    ERR_INFRA_DEPENDENCIES: ['is already being used', 'internalerror'],
  },
};

/** The codes that Gardener gives a shoot with a machine that failed with this text, sorted. */
export function gardenerCodesOf(cloud: Cloud, text: string): string[] {
  return Object.keys(ofAll)
    .filter((code) => {
      const parts = [...(ofAll[code] ?? []), ...(ofOne[cloud][code] ?? [])];
      return new RegExp(parts.join('|'), 'i').test(text);
    })
    .toSorted();
}
