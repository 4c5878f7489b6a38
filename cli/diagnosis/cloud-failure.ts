/** What a Machine says that the cloud, or what is before it, has refused. */
import { creationTroubleOf, failureWordsOf } from '../../workflows/api/creation-failure.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { Trouble } from './trouble.ts';

export interface CloudFailure {
  /** Undefined where a retry may help as well as anything. */
  trouble: Trouble | undefined;
  cause: string;
}

export function cloudFailureOf(machine: Machine): CloudFailure {
  const words = failureWordsOf(machine);
  const trouble = creationTroubleOf(machine.status?.lastOperation?.errorCode ?? '', words);
  return { trouble, cause: `${introductionOf(trouble)}: ${words}` };
}

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
