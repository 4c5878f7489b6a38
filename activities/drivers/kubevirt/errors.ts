/** What answers of the host cluster and states of a VirtualMachine mean. */
import type { ErrorTable, MeaningName } from '../error-meanings.ts';
import type { Refusal, RestAnswer } from '../frame/http.ts';
import type { Death, State } from '../frame/cloud.ts';

/** By the reason of a `Status`. */
const meaningOfReason: ErrorTable = {
  Unauthorized: 'unauthenticated',
  Forbidden: 'forbidden',
  AlreadyExists: 'taken',
  NotFound: 'missing',
  MethodNotAllowed: 'precondition',
  Conflict: 'conflict',
  BadRequest: 'input',
  Invalid: 'input',
  UnsupportedMediaType: 'input',
  RequestEntityTooLarge: 'input',
  TooManyRequests: 'throttling',
  Timeout: 'unanswered',
  ServerTimeout: 'unavailable',
  ServiceUnavailable: 'unavailable',
  InternalError: 'unavailable',
  Expired: 'unavailable',
  Gone: 'unavailable',
};

/** By HTTP status, where the reason is another or none. */
const meaningOfStatus: Readonly<Record<number, MeaningName>> = {
  400: 'input',
  401: 'unauthenticated',
  403: 'forbidden',
  409: 'conflict',
  413: 'input',
  422: 'input',
  429: 'throttling',
  504: 'unanswered',
};

/** A 403 is also how admission says no, whatever the rights. */
const forbiddenWords: readonly (readonly [words: RegExp, meaning: MeaningName])[] = [
  [/exceeded quota: /, 'quota'],
  [/failed quota: .*must specify/, 'input'],
  [/is being terminated/, 'precondition'],
  [/denied (the )?request/, 'input'],
];

interface Status {
  kind?: unknown;
  reason?: unknown;
  message?: unknown;
  details?: { name?: unknown };
}

/** Undefined: not an answer of an API server. */
export function refusalIn({ status, json }: RestAnswer): Refusal | undefined {
  const { kind, reason, message, details }: Status = Object(json);
  if (kind !== 'Status') return undefined;
  const code = typeof reason === 'string' && reason !== '' ? reason : undefined;
  const words = typeof message === 'string' ? message.slice(0, 1_000) : 'no message';
  const meaning = meaningOf({ status, reason: code ?? '', words });
  // Without a name it is the resource that the server does not know.
  const isResource = meaning === 'missing' && Object(details)['name'] === undefined;
  if (!isResource) return { meaning, code, words };
  return { meaning: 'precondition', code, words: `${words} (is KubeVirt installed there?)` };
}

interface StatusFacts {
  status: number;
  reason: string;
  words: string;
}

function meaningOf({ status, reason, words }: StatusFacts): MeaningName {
  const meaning = Object.hasOwn(meaningOfReason, reason)
    ? meaningOfReason[reason]
    : meaningOfStatus[status];
  if (meaning === 'forbidden') {
    return forbiddenWords.find(([pattern]) => pattern.test(words))?.[1] ?? meaning;
  }
  return meaning ?? (status >= 500 ? 'unavailable' : 'unknown');
}

/** What is read of the state of an object. */
export interface MachineStatus {
  name: string;
  isGoing: boolean;
  runStrategy?: string | undefined;
  status?: {
    printableStatus?: string;
    conditions?: { type?: string; status?: string; message?: string }[];
  };
}

/** By `status.printableStatus`; any other is on its way. */
const stateOfStatus: Readonly<Record<string, State['is']>> = {
  Running: 'ready',
  Paused: 'ready',
  Migrating: 'ready',
  Terminating: 'going',
  ErrorUnschedulable: 'failed',
  ErrorPvcNotFound: 'failed',
  DataVolumeError: 'failed',
  ErrImagePull: 'failed',
  ImagePullBackOff: 'failed',
  CrashLoopBackOff: 'failed',
};

/** Why a VirtualMachine failed; any other is a conflict, and made again. */
const deathOfStatus: ErrorTable = {
  ErrorUnschedulable: 'capacity',
  ErrorPvcNotFound: 'input',
  DataVolumeError: 'input',
  ErrImagePull: 'input',
  ImagePullBackOff: 'input',
};

export function stateOf({ isGoing, runStrategy, status }: MachineStatus): State {
  if (isGoing) return { is: 'going', words: 'Terminating' };
  const words = status?.printableStatus ?? 'not seen by KubeVirt yet';
  // It was stopped on purpose; any other is only not started yet.
  if (words === 'Stopped' && runStrategy === 'Halted') return { is: 'failed', words };
  return { is: stateOfStatus[words] ?? 'coming', words };
}

/** With the words of the conditions that say why. */
export function deathOf({ name, status = {} }: MachineStatus): Death {
  const { printableStatus = 'gone', conditions = [] } = status;
  const reasons = conditions.filter((one) => one.status === 'False' && one.message);
  const said = reasons.map(({ type, message }) => `${type}: ${message}`).join('; ');
  const words = said === '' ? 'KubeVirt does not say why' : said.slice(0, 500);
  const message = `virtual machine ${name} is ${printableStatus} before it was of use: ${words}`;
  return { meaning: deathOfStatus[printableStatus] ?? 'conflict', message };
}
