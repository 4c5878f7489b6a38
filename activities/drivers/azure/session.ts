/** One call of the driver: what it knows, and how it asks Azure. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ProviderRequest } from '../driver.ts';
import { DriverError } from '../driver.ts';
import type { AzureClients } from './clients.ts';
import { AzureFailure, failureOf, isAbsent, messageOf, secondsOfRetryAfter } from './failure.ts';
import { meaningOf } from './errors.ts';
import type { AzureProviderSpec } from './provider-spec.ts';
import { withoutNulls } from '../spec-schema.ts';

export interface Timing {
  /** Limit of one HTTP request. */
  callSeconds: number;
  /** Limit of one call of the driver, with all its waiting. */
  waitSeconds: number;
  /** Limit of deleting what a failed create made, before the failure is told all the same: Azure keeps an interface for three minutes. */
  cleanUpSeconds: number;
  /** Between two looks at something that is under way, unless Azure says when; doubles up to the longest. */
  firstPauseSeconds: number;
  longestPauseSeconds: number;
  /** From 0 to 1. */
  random: () => number;
}

/** Azure allows 12 looks a minute at one virtual machine and 15 at one operation, after a first burst of 36 and 45. */
export const defaultTiming: Timing = {
  callSeconds: 30,
  waitSeconds: 240,
  cleanUpSeconds: 60,
  firstPauseSeconds: 1,
  longestPauseSeconds: 8,
  random: Math.random,
};

/** What has to be known to look for something. A class that is wrong elsewhere must not keep its instances from being found. */
export interface Place {
  location: string;
  resourceGroup: string;
  classTags: Record<string, string>;
  dataDisks: { name?: string; lun: number }[];
}

export interface Session {
  place: Place;
  clients: AzureClients;
  timing: Timing;
  /** Of the caller. */
  asked: AbortSignal;
  /** Of the caller, or the time is up. */
  signal: AbortSignal;
}

export function placeOf(providerSpec: unknown): Place {
  const spec: Partial<AzureProviderSpec> = Object(withoutNulls(providerSpec));
  const { location, resourceGroup } = spec;
  const missing = Object.entries({ location, resourceGroup }).flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' ? [] : [name],
  );
  if (location === undefined || resourceGroup === undefined || missing.length > 0) {
    const message = missing.map((name) => `providerSpec.${name} is missing`).join('; ');
    throw new DriverError({ code: 'InvalidArgument', kind: 'input', message, settled: false });
  }
  const disks: unknown = spec.properties?.storageProfile?.dataDisks;
  return {
    location,
    resourceGroup,
    classTags: Object(spec.tags),
    dataDisks: Array.isArray(disks) ? disks.filter(isNamedDisk) : [],
  };
}

function isNamedDisk(disk: unknown): disk is { name?: string; lun: number } {
  const { name, lun } = Object(disk);
  return Number.isInteger(lun) && (name === undefined || typeof name === 'string');
}

interface SessionParts {
  request: Pick<ProviderRequest, 'providerSpec' | 'signal'>;
  clients: AzureClients;
  timing: Timing;
}

export function sessionOf({ request, clients, timing }: SessionParts): Session {
  const limit = AbortSignal.timeout(timing.waitSeconds * 1_000);
  return {
    place: placeOf(request.providerSpec),
    clients,
    timing,
    asked: request.signal,
    signal: AbortSignal.any([request.signal, limit]),
  };
}

/** The same with less time. */
export function shortened(session: Session, waitSeconds: number): Session {
  const signal = AbortSignal.any([session.signal, AbortSignal.timeout(waitSeconds * 1_000)]);
  return { ...session, signal, timing: { ...session.timing, waitSeconds } };
}

export interface CallOptions {
  abortSignal: AbortSignal;
}

/** Whatever fails in `send` becomes an AzureFailure that begins with `doing`. */
export async function call<Result>(
  session: Session,
  doing: string,
  send: (options: CallOptions) => Promise<Result>,
): Promise<Result> {
  try {
    session.signal.throwIfAborted();
    return await send({ abortSignal: session.signal });
  } catch (error) {
    throw interruptionOf(session, doing, error) ?? failureOf(doing, error);
  }
}

/** Not found is an answer. */
export async function orAbsent<Result>(calling: Promise<Result>): Promise<Result | undefined> {
  try {
    return await calling;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

function interruptionOf(session: Session, doing: string, cause: unknown): AzureFailure | undefined {
  if (session.asked.aborted) {
    return new AzureFailure({ meaning: 'cancelled', message: `Azure: ${doing}: cancelled`, cause });
  }
  if (!session.signal.aborted) return undefined;
  const message = `Azure: ${doing}: not done within ${session.timing.waitSeconds} s; it goes on in Azure and is looked at again`;
  return new AzureFailure({ meaning: 'unanswered', message, cause });
}

export interface Pause {
  doing: string;
  /** From 0. */
  attempt: number;
  /** What Azure said. */
  retryAfter?: number | undefined;
}

/** Backs off with jitter; what Azure says goes first. */
export async function pause(
  session: Session,
  { doing, attempt, retryAfter }: Pause,
): Promise<void> {
  const { firstPauseSeconds, longestPauseSeconds, random } = session.timing;
  const backoff = Math.min(longestPauseSeconds, firstPauseSeconds * 2 ** attempt);
  // Never at once: a cloud that says 0 is not to be asked in a loop.
  const seconds = Math.max(retryAfter ?? 0, retryAfter === undefined ? backoff : firstPauseSeconds);
  await call(session, doing, ({ abortSignal }) =>
    delay(seconds * (1 + random() / 4) * 1_000, undefined, { signal: abortSignal }),
  );
}

export interface RawAnswer {
  body: Record<string, unknown>;
  retryAfter: number | undefined;
}

export interface RawRequest {
  method: 'GET' | 'PUT';
  /** Of the Resource Manager: whole, or from the slash after its host. */
  url: string;
  body?: object;
}

/** A request that no client has a method for, with the same credentials, limits and errors. */
export async function callRaw(
  session: Session,
  doing: string,
  { method, url, body }: RawRequest,
): Promise<RawAnswer> {
  const { compute, endpoint, http, newRequest } = session.clients;
  return await call(session, doing, async ({ abortSignal }) => {
    const request = newRequest({
      method,
      url: url.startsWith('/') ? `${endpoint}${url}` : url,
      abortSignal,
      ...(body && { body: JSON.stringify(body) }),
    });
    request.headers.set('accept', 'application/json');
    if (body) request.headers.set('content-type', 'application/json');
    const response = await compute.pipeline.sendRequest(http, request);
    const retryAfter = secondsOfRetryAfter(response.headers.get('retry-after'));
    const answer = parsed(response.bodyAsText);
    if (response.status < 400) return { body: answer, retryAfter };
    throw refusalOf(doing, { status: response.status, answer, retryAfter });
  });
}

interface RefusedAnswer {
  status: number;
  answer: Record<string, unknown>;
  retryAfter: number | undefined;
}

function refusalOf(doing: string, { status, answer, retryAfter }: RefusedAnswer): AzureFailure {
  const { code, message } = Object(answer['error'] ?? answer);
  const known = {
    status,
    message: String(message ?? `status ${status}`),
    ...(typeof code === 'string' && { code }),
  };
  return new AzureFailure({
    ...known,
    meaning: meaningOf(known),
    message: messageOf(doing, known),
    ...(retryAfter !== undefined && { retryAfterSeconds: retryAfter }),
  });
}

function parsed(text: string | null | undefined): Record<string, unknown> {
  try {
    return Object(JSON.parse(text ?? '{}'));
  } catch {
    // Not of the Resource Manager; its status says enough.
    return {};
  }
}
