/** One call of the driver: what it knows, and how it asks Azure. */
import type { ProviderRequest } from '../driver.ts';
import { DriverError } from '../driver.ts';
import { versionAdvice } from './api-versions.ts';
import { writeIn, type Write } from './checkpoint.ts';
import { CallTimeLimit, TokenFailure, type AzureClients } from './client.ts';
import {
  AzureFailure,
  failureOf,
  failureOfAnswer,
  isAbsent,
  secondsOfRetryAfter,
} from './error-mapping.ts';
import type { AzureProviderSpec } from './provider-spec.ts';
import { orAborted } from '../../system/or-aborted.ts';
import { invalidSpec, withoutNulls } from '../spec-schema.ts';
import { pollSeconds, Pauses, realTiming } from '../wait.ts';
import { anySignal, random, timeoutSignal } from '../../system/system.ts';
import { parsedJson } from '../../../workflows/values/parsed-json.ts';

export interface Timing {
  /** Limit of one HTTP request, with the token that it needs. */
  callSeconds: number;
  /** Limit of one call of the driver. */
  limitSeconds: number;
  /**
   * For so long a call waits for operations of Azure altogether; what is not done then is pending.
   */
  waitSeconds: number;
  /**
   * The same for deleting what a failed create made, before the failure is reported all the same:
   * Azure keeps an interface for three minutes.
   */
  cleanUpSeconds: number;
  /** The same for deleting what was listed, which is asked for once. */
  listedWaitSeconds: number;
  /**
   * Between two looks at something that is under way, unless Azure says when; doubles up to the
   * longest.
   */
  firstPauseSeconds: number;
  longestPauseSeconds: number;
  /** When something that is pending is asked for again, unless Azure says when. */
  pollSeconds: number;
  /** From 0 to 1. */
  random: () => number;
}

/**
 * Azure allows 12 looks a minute at one virtual machine and 15 at one operation, after a first
 * burst of 36 and 45.
 */
export const defaultTiming: Timing = {
  callSeconds: 30,
  limitSeconds: 120,
  waitSeconds: 5,
  cleanUpSeconds: 5,
  listedWaitSeconds: 40,
  firstPauseSeconds: 1,
  longestPauseSeconds: 4,
  pollSeconds: pollSeconds.azure,
  random,
};

/**
 * What has to be known to look for something. A class that is wrong elsewhere must not keep its
 * instances from being found.
 */
export interface SearchedPlace {
  location: string;
  resourceGroup: string;
  classTags: Record<string, string>;
  dataDisks: { name?: string; lun: number }[];
}

/** The settings of the process. */
export interface Choices {
  /**
   * The key of virtual machines whose class has none. Default: a key whose private part does not
   * exist.
   */
  sshPublicKey?: string;
  allowsRetagging: boolean;
}

export interface Session {
  place: SearchedPlace;
  choices: Choices;
  clients: AzureClients;
  timing: Timing;
  /** The caller's signal. */
  asked: AbortSignal;
  /** Aborted by the caller, or when the time of the whole call is over. */
  signal: AbortSignal;
  /** Between looks at what Azure works on. */
  pauses: Pauses;
  /** What the call before this one left under way, until it is known what became of it. */
  earlier: { write?: Write };
}

export function placeOf(providerSpec: unknown): SearchedPlace {
  const spec: Partial<AzureProviderSpec> = Object(withoutNulls(providerSpec));
  const { location, resourceGroup } = spec;
  const missing = Object.entries({ location, resourceGroup }).flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' ? [] : [name],
  );
  if (location === undefined || resourceGroup === undefined || missing.length > 0) {
    const message = invalidSpec(missing.map((name) => `providerSpec.${name} is missing`));
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
  request: Pick<ProviderRequest, 'providerSpec' | 'signal'> & { checkpoint?: string };
  clients: AzureClients;
  timing: Timing;
  choices: Choices;
}

export function sessionOf({ request, clients, timing, choices }: SessionParts): Session {
  const limit = timeoutSignal(timing.limitSeconds * 1_000);
  const signal = anySignal([request.signal, limit]);
  const write = writeIn(request.checkpoint, clients);
  return {
    place: placeOf(request.providerSpec),
    choices,
    clients,
    timing,
    asked: request.signal,
    signal,
    pauses: pausesWithin(timing, timing.waitSeconds, signal),
    earlier: { ...(write && { write }) },
  };
}

/** The same with time of its own for waiting. */
export function withOwnPauses(session: Session, limitSeconds: number): Session {
  const { timing, signal } = session;
  return { ...session, pauses: pausesWithin(timing, limitSeconds, signal) };
}

function pausesWithin(timing: Timing, limitSeconds: number, signal: AbortSignal): Pauses {
  const { firstPauseSeconds, longestPauseSeconds } = timing;
  const limits = { limitSeconds, firstPauseSeconds, longestPauseSeconds };
  // Only the pauses count: a call goes through several operations, and slow answers of Azure must
  // not use up the time for waiting. `limitSeconds` of the session bounds the whole call.
  let sleptMs = 0;
  return new Pauses(limits, signal, {
    random: timing.random,
    nowMs: () => sleptMs,
    async sleep(milliseconds, abortSignal) {
      sleptMs += milliseconds;
      await realTiming.sleep(milliseconds, abortSignal);
    },
  });
}

export interface CallOptions {
  abortSignal: AbortSignal;
}

/**
 * Any error of `send` becomes an AzureFailure whose message begins with `doing`. The call ends
 * within `callSeconds` and with the caller's signal, even where the SDK ignores that signal, as it
 * does while it gets a token.
 */
export async function call<Result>(
  session: Session,
  doing: string,
  send: (options: CallOptions) => Promise<Result>,
): Promise<Result> {
  const { callSeconds } = session.timing;
  const limit = timeoutSignal(callSeconds * 1_000);
  const abortSignal = anySignal([session.signal, limit]);
  try {
    session.signal.throwIfAborted();
    return await orAborted(send({ abortSignal }), abortSignal);
  } catch (error) {
    // The next call would hang too, as it shares the token request that is under way.
    if (abortSignal.aborted && session.clients.isWaitingForToken()) session.clients.abandon();
    const interruption = interruptionOf(session, doing, error);
    if (interruption) throw interruption;
    if (limit.aborted)
      throw failureOf(doing, new CallTimeLimit(`no answer within ${callSeconds} s`));
    const failure = failureOf(doing, error);
    // Of what a Secret holds the same would be refused again.
    const { areOfFile } = session.clients;
    const mayRenewalHelp = failure.status === 401 || (areOfFile && error instanceof TokenFailure);
    if (mayRenewalHelp) session.clients.refuse();
    throw failure;
  }
}

/** Undefined when Azure says that there is no such resource. */
export async function orAbsent<Result>(calling: Promise<Result>): Promise<Result | undefined> {
  try {
    return await calling;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Did the caller, or the time of the whole call, end what was being done? */
export function interruptionOf(
  session: Session,
  doing: string,
  cause: unknown,
): AzureFailure | undefined {
  if (session.asked.aborted) {
    return new AzureFailure({ meaning: 'cancelled', message: `Azure: ${doing}: cancelled`, cause });
  }
  if (!session.signal.aborted) return undefined;
  const message = `Azure: ${doing}: not done within ${session.timing.limitSeconds} s; it goes on in Azure and is looked at again`;
  return new AzureFailure({ meaning: 'unanswered', message, cause });
}

export interface RawAnswer {
  body: Record<string, unknown>;
  retryAfter: number | undefined;
}

export interface RawRequest {
  method: 'GET' | 'PUT';
  /** A URL of the Resource Manager: whole, or from the slash after its host. */
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
    // One that is not of the Resource Manager: its status says enough.
    const answer: Record<string, unknown> = Object(parsedJson(response.bodyAsText));
    if (response.status < 400) return { body: answer, retryAfter };
    throw refusalOf(doing, { url: request.url, status: response.status, answer, retryAfter });
  });
}

interface RefusedAnswer {
  url: string;
  status: number;
  answer: Record<string, unknown>;
  retryAfter: number | undefined;
}

function refusalOf(
  doing: string,
  { url, status, answer, retryAfter }: RefusedAnswer,
): AzureFailure {
  const { code, message } = Object(answer['error']);
  const advice = versionAdvice(url);
  const known = {
    status,
    message: String(message ?? ''),
    ...(typeof code === 'string' && { code }),
    ...(advice !== undefined && { versionAdvice: advice }),
  };
  return failureOfAnswer(doing, known, { retryAfter });
}
