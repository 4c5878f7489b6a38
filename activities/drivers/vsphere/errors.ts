/**
 * What faults of the vSphere API mean, by the name of their type. The API's reference lists them;
 * those that inherit from another one stand beside it.
 */
import type { DriverError } from '../driver.ts';
import type { ErrorTable, MeaningName } from '../error-meanings.ts';
import { fault } from '../frame/fault.ts';
import type { RestAnswer, Refusal } from '../frame/http.ts';
import { childOf, textOf, typeOf, type XmlElement } from './vcenter/xml.ts';

const table: ErrorTable = {
  // InsufficientResourcesFault and its kin: also any other name that begins with Insufficient.
  InsufficientResourcesFault: 'capacity',
  InvalidResourcePoolStructureFault: 'capacity',
  NumVirtualCpusExceedsLimit: 'capacity',
  NoCompatibleHost: 'capacity',
  NoCompatibleHardAffinityHost: 'capacity',
  NoCompatibleSoftAffinityHost: 'capacity',
  NoCompatibleDatastore: 'capacity',
  NoActiveHostInCluster: 'capacity',
  NoDiskSpace: 'capacity',
  NotEnoughCpus: 'capacity',
  NotEnoughLogicalCpus: 'capacity',
  HostInventoryFull: 'capacity',
  TooManyHosts: 'capacity',
  NotEnoughLicenses: 'quota',
  VmLimitLicense: 'quota',
  VramLimitLicense: 'quota',
  NoPermission: 'forbidden',
  RestrictedVersion: 'forbidden',
  HostAccessRestrictedToManagementAgent: 'forbidden',
  InvalidLogin: 'unauthenticated',
  // The session is over.
  NotAuthenticated: 'unauthenticated',
  PasswordExpired: 'unauthenticated',
  NoClientCertificate: 'unauthenticated',
  ManagedObjectNotFound: 'missing',
  NotFound: 'missing',
  DuplicateName: 'taken',
  AlreadyExists: 'taken',
  FileNotFound: 'input',
  FileAlreadyExists: 'precondition',
  NotSupported: 'input',
  MethodNotFound: 'input',
  CannotAccessNetwork: 'input',
  CannotAccessVmComponent: 'input',
  CannotAccessVmConfig: 'input',
  CannotAccessVmDevice: 'input',
  CannotAccessVmDisk: 'input',
  CannotUseNetwork: 'input',
  CpuIncompatible: 'input',
  CustomizationFault: 'input',
  DatacenterMismatch: 'input',
  DeviceNotSupported: 'input',
  DiskNotSupported: 'input',
  FeatureRequirementsNotMet: 'input',
  MemorySizeNotSupported: 'input',
  MemorySizeNotSupportedByDatastore: 'input',
  MissingPowerOnConfiguration: 'input',
  NumVirtualCpusIncompatible: 'input',
  NumVirtualCpusNotSupported: 'input',
  TooManyDevices: 'input',
  UncustomizableGuest: 'input',
  UnsupportedDatastore: 'input',
  UnsupportedGuest: 'input',
  VAppConfigFault: 'input',
  VAppPropertyFault: 'input',
  VirtualHardwareCompatibilityIssue: 'input',
  VirtualHardwareVersionNotSupported: 'input',
  VmConfigFault: 'input',
  // Names that begin with Invalid are input, but these.
  InvalidState: 'conflict',
  InvalidPowerState: 'conflict',
  InvalidVmState: 'conflict',
  InvalidHostState: 'unavailable',
  InvalidDatastoreState: 'unavailable',
  InvalidRequest: 'unknown',
  TaskInProgress: 'conflict',
  ConcurrentAccess: 'conflict',
  ResourceInUse: 'conflict',
  ResourceNotAvailable: 'conflict',
  FileLocked: 'conflict',
  FileFault: 'conflict',
  RequestCanceled: 'conflict',
  TooManyConcurrentNativeClones: 'throttling',
  LimitExceeded: 'throttling',
  Timedout: 'unanswered',
  InaccessibleDatastore: 'unavailable',
  DatastoreNotWritableOnHost: 'unavailable',
  HostNotConnected: 'unavailable',
  HostNotReachable: 'unavailable',
  HostCommunication: 'unavailable',
  HostConnectFault: 'unavailable',
  NetworkCopyFault: 'unavailable',
  CannotAccessFile: 'unavailable',
  SystemError: 'unavailable',
};

const families: readonly (readonly [RegExp, MeaningName])[] = [
  [/^Insufficient/, 'capacity'],
  [/^Invalid/, 'input'],
];

/** Servers written in Go add `Fault` to the name of some. */
function meaningOf(name: string): MeaningName {
  const family = families.find(([pattern]) => pattern.test(name));
  return table[name] ?? table[name.replace(/Fault$/, '')] ?? family?.[1] ?? 'unknown';
}

/** These fields of a fault say what it is about; others may hold what was sent. */
const tellingFields = ['privilegeId', 'invalidProperty', 'property', 'reason'] as const;

/** A vCenter that cannot read a request may quote it, with the secrets in it. */
function wordsOf(name: string, sentence: string, detail: XmlElement | undefined): string {
  if (name === 'InvalidRequest') return 'this vCenter does not know the form of the request';
  const more = tellingFields.flatMap((field) => {
    const text = textOf(detail, field);
    return text === '' || sentence.includes(text) ? [] : [`${field} ${text}`];
  });
  return [sentence || 'no further words', ...more].join(', ');
}

/** An answer to a call; undefined where it is not of a vCenter. */
export function refusalIn({ json }: RestAnswer): Refusal | undefined {
  const body: XmlElement | undefined = json === undefined ? undefined : Object(json);
  if (body?.name !== 'Fault') return undefined;
  const detail = childOf(body, 'detail')?.children[0];
  const name = typeOf(detail) || (detail?.name.replace(/Fault$/, '') ?? '');
  const words = wordsOf(name, textOf(body, 'faultstring'), detail);
  return { meaning: meaningOf(name), code: name, words };
}

export interface TaskFault {
  name: string;
  words: string;
}

/** Of a task that has failed: its `error`. */
export function taskFaultIn(error: XmlElement): TaskFault {
  const detail = childOf(error, 'fault');
  const name = typeOf(detail);
  return { name, words: wordsOf(name, textOf(error, 'localizedMessage'), detail) };
}

/** `what`: in words, such as `make instance x`. What a make does not find is of the class. */
export function taskError({ name, words }: TaskFault, what: string, settled: boolean): DriverError {
  const meaning = meaningOf(name);
  const isOfClass = meaning === 'missing' && what.startsWith('make');
  return fault(isOfClass ? 'input' : meaning, `vSphere: ${what}: ${name}: ${words}`, settled);
}

/** Whatever the task was for is so already. */
export const isForNothing = ({ name }: TaskFault): boolean =>
  /^(InvalidPowerState|AlreadyUpgraded|ManagedObjectNotFound)(Fault)?$/.test(name);
