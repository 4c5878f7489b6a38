/**
 * What the error codes of EC2 and STS mean. A code that is not here is `unknown`, and with status
 * 429 or 5xx what the status says.
 */
import type { ErrorTable, MeaningName } from '../error-meanings.ts';

export const awsErrors: ErrorTable = {
  RequestLimitExceeded: 'throttling',
  Throttling: 'throttling',
  ThrottlingException: 'throttling',
  ThrottledException: 'throttling',
  RequestThrottled: 'throttling',
  RequestThrottledException: 'throttling',
  SlowDown: 'throttling',
  BandwidthLimitExceeded: 'throttling',
  EC2ThrottledException: 'throttling',
  RequestResourceCountExceeded: 'throttling',

  InstanceLimitExceeded: 'quota',
  VcpuLimitExceeded: 'quota',
  VolumeLimitExceeded: 'quota',
  MaxIOPSLimitExceeded: 'quota',
  RouteLimitExceeded: 'quota',
  MaxSpotInstanceCountExceeded: 'quota',
  AddressLimitExceeded: 'quota',
  NetworkInterfaceLimitExceeded: 'quota',
  PrivateIpAddressLimitExceeded: 'quota',
  AttachmentLimitExceeded: 'quota',
  ResourceLimitExceeded: 'quota',
  SnapshotLimitExceeded: 'quota',
  HostLimitExceeded: 'quota',
  PendingVerification: 'quota',

  InsufficientInstanceCapacity: 'capacity',
  InsufficientCapacity: 'capacity',
  InsufficientCapacityOnHost: 'capacity',
  InsufficientHostCapacity: 'capacity',
  InsufficientReservedInstanceCapacity: 'capacity',
  InsufficientVolumeCapacity: 'capacity',
  InsufficientAddressCapacity: 'capacity',
  InsufficientFreeAddressesInSubnet: 'capacity',
  UnfulfillableCapacity: 'capacity',
  ReservationCapacityExceeded: 'capacity',
  /** A capacity block whose time has not come. */
  'InvalidCapacityReservationState.PendingActivation': 'capacity',
  /** No dedicated host that has room, and lets instances onto it that do not name it. */
  UnavailableHostRequirements: 'capacity',
  IncompatibleHostRequirements: 'capacity',
  VolumeTypeNotAvailableInZone: 'capacity',
  /** As with Gardener's driver, also where it is the class: a pool of another type may help. */
  Unsupported: 'capacity',
  SpotMaxPriceTooLow: 'capacity',

  AuthFailure: 'unauthenticated',
  InvalidClientTokenId: 'unauthenticated',
  ExpiredToken: 'unauthenticated',
  ExpiredTokenException: 'unauthenticated',
  RequestExpired: 'unauthenticated',
  SignatureDoesNotMatch: 'unauthenticated',
  IncompleteSignature: 'unauthenticated',
  InvalidSignatureException: 'unauthenticated',
  InvalidAccessKeyId: 'unauthenticated',
  MissingAuthenticationToken: 'unauthenticated',
  UnrecognizedClientException: 'unauthenticated',
  InvalidIdentityToken: 'unauthenticated',
  InvalidIdentityTokenException: 'unauthenticated',
  IDPRejectedClaim: 'unauthenticated',
  IDPRejectedClaimException: 'unauthenticated',
  CredentialsProviderError: 'unauthenticated',
  TokenProviderError: 'unauthenticated',
  /** The token of a workload identity is not mounted, or not for us. */
  ENOENT: 'unauthenticated',
  EACCES: 'unauthenticated',

  UnauthorizedOperation: 'forbidden',
  AccessDenied: 'forbidden',
  AccessDeniedException: 'forbidden',
  Blocked: 'forbidden',
  OptInRequired: 'forbidden',
  /** The first spot instance of an account. */
  'AuthFailure.ServiceLinkedRoleCreationNotPermitted': 'forbidden',
  RegionDisabledException: 'forbidden',

  'InvalidAMIID.NotFound': 'input',
  'InvalidAMIID.Malformed': 'input',
  'InvalidAMIID.Unavailable': 'input',
  'InvalidSubnetID.NotFound': 'input',
  'InvalidSubnetId.NotFound': 'input',
  'InvalidSubnetID.Malformed': 'input',
  'InvalidSubnet.Conflict': 'input',
  InvalidSubnet: 'input',
  'InvalidGroup.NotFound': 'input',
  'InvalidGroupId.Malformed': 'input',
  'InvalidSecurityGroupID.NotFound': 'input',
  'InvalidSecurityGroupId.Malformed': 'input',
  'InvalidSecurity.RequestHasExpired': 'unauthenticated',
  'InvalidKeyPair.NotFound': 'input',
  'InvalidKeyPair.Format': 'input',
  'InvalidSnapshot.NotFound': 'input',
  'InvalidSnapshotID.Malformed': 'input',
  'InvalidPlacementGroup.Unknown': 'input',
  'InvalidPlacementGroupId.Malformed': 'input',
  'InvalidHostID.NotFound': 'input',
  'InvalidHostID.Malformed': 'input',
  'InvalidHostId.NotFound': 'input',
  'InvalidHostId.Malformed': 'input',
  'InvalidCapacityReservationId.NotFound': 'input',
  'InvalidCapacityReservationId.Malformed': 'input',
  InvalidLaunchTargets: 'input',
  'InvalidNetworkInterfaceID.NotFound': 'input',
  'InvalidNetworkInterface.InUse': 'conflict',
  'InvalidUserData.Malformed': 'input',
  'InvalidInstanceID.Malformed': 'input',
  InvalidInstanceType: 'input',
  InvalidInterface: 'input',
  'InvalidInterface.IpAddressLimitExceeded': 'input',
  InvalidBlockDeviceMapping: 'input',
  InvalidParameter: 'input',
  InvalidParameterValue: 'input',
  InvalidParameterCombination: 'input',
  InvalidParameterDependency: 'input',
  InvalidInput: 'input',
  InvalidRequest: 'input',
  InvalidTagKey: 'input',
  'InvalidTagKey.Malformed': 'input',
  InvalidID: 'input',
  InvalidKmsKey: 'input',
  InvalidFormat: 'input',
  InvalidQueryParameter: 'input',
  InvalidAvailabilityZone: 'input',
  InvalidTenancy: 'input',
  InvalidHostConfiguration: 'input',
  InvalidHostId: 'input',
  InvalidAffinity: 'input',
  UnsupportedHostConfiguration: 'input',
  UnsupportedInstanceTypeOnHost: 'input',
  UnsupportedTenancy: 'input',
  ZonesMismatched: 'input',
  BootForVolumeTypeUnsupported: 'input',
  UnknownVolumeType: 'input',
  InvalidIamInstanceProfileArn: 'input',
  'InvalidIamInstanceProfileArn.Malformed': 'input',
  NoSuchEntity: 'input',
  MalformedQueryString: 'input',
  MissingParameter: 'input',
  UnknownParameter: 'input',
  ValidationError: 'input',
  TagLimitExceeded: 'input',
  TagPolicyViolation: 'input',
  SecurityGroupsPerInterfaceLimitExceeded: 'input',
  SecurityGroupsPerInstanceLimitExceeded: 'input',
  InstanceTypeNotSupported: 'input',
  NotExportable: 'input',
  VPCIdNotSpecified: 'input',
  VPCResourceNotSpecified: 'input',
  DefaultVpcDoesNotExist: 'input',
  UnsupportedOperation: 'precondition',
  UnsupportedHibernationConfiguration: 'input',
  EncryptedVolumesNotSupported: 'input',

  'InvalidInstanceID.NotFound': 'missing',

  OperationNotPermitted: 'precondition',
  IncorrectInstanceState: 'precondition',
  IncorrectState: 'precondition',
  CustomerKeyHasBeenRevoked: 'precondition',
  DryRunOperation: 'precondition',

  IdempotentInstanceTerminated: 'spent',

  /** An instance of this token exists, made by another request, and is not listed yet. */
  IdempotentParameterMismatch: 'conflict',
  IdempotencyTokenInUse: 'conflict',
  ConcurrentIdempotencyException: 'conflict',
  ConcurrentTagAccess: 'conflict',
  DependencyViolation: 'conflict',
  ResourceInUse: 'conflict',

  InternalError: 'unavailable',
  InternalFailure: 'unavailable',
  InternalServerError: 'unavailable',
  ServerInternal: 'unavailable',
  ServiceUnavailable: 'unavailable',
  Unavailable: 'unavailable',
  IDPCommunicationError: 'unavailable',
  IDPCommunicationErrorException: 'unavailable',

  /** Ours, in client.ts. */
  CredentialsTimeout: 'unanswered',
  RequestTimeout: 'unanswered',
  RequestTimeoutException: 'unanswered',
  GatewayTimeout: 'unanswered',
};

interface WordsMeaning {
  code: string;
  words: RegExp;
  meaning: MeaningName;
}

/** By its words, where EC2 gives several things one code. Checked first. */
const wordsMeanings: readonly WordsMeaning[] = [
  // The credentials are right: the image belongs to an account that does not share it with them.
  { code: 'AuthFailure', words: /not authorized for images/i, meaning: 'input' },
  // Of STS, about what Secret and token file give.
  {
    code: 'ValidationError',
    words: /Request ARN is invalid|at '(roleArn|webIdentityToken)'/,
    meaning: 'unauthenticated',
  },
];

/**
 * The code goes before the status: EC2 says `RequestLimitExceeded` with 503. `isTransport`: no
 * answer came.
 */
export function meaningNameOf({ code, status, isTransport, message }: ErrorFacts): MeaningName {
  const byWords = wordsMeanings.find((row) => row.code === code && row.words.test(message));
  if (byWords) return byWords.meaning;
  const known = Object.hasOwn(awsErrors, code) ? awsErrors[code] : undefined;
  if (known) return known;
  if (isTransport) return 'unavailable';
  if (status === 429) return 'throttling';
  return status !== undefined && status >= 500 ? 'unavailable' : 'unknown';
}

export interface ErrorFacts {
  code: string;
  message: string;
  /** The HTTP status. */
  status: number | undefined;
  isTransport: boolean;
}
