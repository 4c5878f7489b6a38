/** Reads from a Machine what the cloud, or what is before it, has refused. */
import {
  creationTroubleOf,
  failureMessageOf,
  isOfApiServer,
} from '../../workflows/api/creation-failure.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { Trouble } from './trouble.ts';

interface CloudFailure {
  /** Undefined where a retry may help as well as anything. */
  trouble: Trouble | undefined;
  cause: string;
}

export function cloudFailureOf(machine: Machine): CloudFailure {
  const words = failureMessageOf(machine);
  const { errorCode = '' } = machine.status?.lastOperation ?? {};
  if (isOfApiServer(words)) return apiServerFailure(errorCode, words);
  const trouble = creationTroubleOf(errorCode, words);
  const introduction = (trouble && introductions[trouble]) ?? 'the cloud fails';
  return { trouble, cause: `${introduction}: ${words}` };
}

/** Our own rights, a webhook, a quota of Kubernetes: no page is about these. */
function apiServerFailure(errorCode: string, words: string): CloudFailure {
  return errorCode === 'Unavailable'
    ? { trouble: 'api-server-down', cause: `an API server does not answer: ${words}` }
    : { trouble: undefined, cause: `an API server refuses what it needs: ${words}` };
}

const introductions: Partial<Record<Trouble, string>> = {
  'bad-spec': 'what is written is refused',
  'missing-secret': 'what it is made from is missing',
  credentials: 'the cloud refuses the credentials',
  quota: "the account's quota is used up",
  capacity: 'the cloud has no room',
  'worker-down': 'no worker serves its provider',
};
