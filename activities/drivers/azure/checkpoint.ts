/**
 * What a call of the driver hands to the next one about an operation that goes on in Azure. The
 * next call does without it as well: then the resources say what they can.
 */
import { hash } from 'node:crypto';
import type { AzureClients } from './client.ts';
import { parsedJson } from '../../../workflows/values/parsed-json.ts';

export type PartKind = 'virtual machine' | 'network interface' | 'disk';

export interface PartRef {
  kind: PartKind;
  name: string;
}

/** A write that Azure accepted. */
export interface Write {
  verb: 'create' | 'delete';
  part: PartRef;
  /** Where Azure says what became of it: the path and query of a URL. */
  operation?: string;
  /** The part was there when this create began to wait for it. */
  isFound?: boolean;
}

/** Begins a message. */
export const doingOf = ({ verb, part }: Write): string => `${verb} ${part.kind} ${part.name}`;

type Subscription = Pick<AzureClients, 'subscriptionId' | 'endpoint'>;

/**
 * In the history of a workflow, where no value of the Secret belongs: the operation is without its
 * subscription, and a digest says of which one it is.
 */
export function checkpointOf(write: Write, account: Subscription): string {
  const { verb, part, operation, isFound } = write;
  return JSON.stringify({
    verb,
    kind: part.kind,
    name: part.name,
    ...(isFound === true && { isFound }),
    ...(operation !== undefined &&
      isPlain(operation) && {
        account: digestOf(account),
        operation: operation.slice(rootOf(account).length),
      }),
  });
}

const rootOf = ({ subscriptionId }: Subscription): string => `/subscriptions/${subscriptionId}/`;
const digestOf = (account: Subscription): string => hash('sha256', rootOf(account)).slice(0, 12);

const plainParameters = ['api-version', 'p'];

/** Newer addresses carry a signature, which does not belong into a history. */
function isPlain(operation: string): boolean {
  const { searchParams } = new URL(operation, 'https://azure.invalid');
  return (
    operation.length <= 1_000 &&
    [...searchParams.keys()].every((name) => plainParameters.includes(name.toLowerCase()))
  );
}

/** Undefined: none, or of another driver, another account, or of an earlier version. */
export function writeIn(checkpoint: string | undefined, account: Subscription): Write | undefined {
  const fields: Record<string, unknown> = Object(parsedJson(checkpoint));
  const { verb, kind, name, ...rest } = fields;
  if (verb !== 'create' && verb !== 'delete') return undefined;
  if (!isKind(kind) || typeof name !== 'string') return undefined;
  const operation = operationIn(rest, account);
  return {
    verb,
    part: { kind, name },
    ...(operation !== undefined && { operation }),
    ...(rest['isFound'] === true && { isFound: true }),
  };
}

function operationIn(
  { operation, account: digest }: Record<string, unknown>,
  account: Subscription,
): string | undefined {
  if (typeof operation !== 'string' || digest !== digestOf(account)) return undefined;
  return operationPath(`${rootOf(account)}${operation}`, account);
}

function isKind(kind: unknown): kind is PartKind {
  return kind === 'virtual machine' || kind === 'network interface' || kind === 'disk';
}

/**
 * The path in an address that Azure gave. Undefined if it is not one of this subscription at our
 * endpoint: our token goes there.
 */
export function operationPath(address: string, account: Subscription): string | undefined {
  const { endpoint } = account;
  const base = new URL(endpoint);
  const url = URL.parse(address, endpoint);
  const ours = rootOf(account).toLowerCase();
  if (url?.origin !== base.origin || !url.pathname.toLowerCase().startsWith(ours)) return undefined;
  return `${url.pathname}${url.search}`;
}

export function isSamePart(a: PartRef, b: PartRef): boolean {
  return a.kind === b.kind && a.name.toLowerCase() === b.name.toLowerCase();
}
