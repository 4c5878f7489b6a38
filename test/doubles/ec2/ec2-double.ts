/**
 * A small EC2 over HTTP (form in, XML out) for what moto lacks: tokens that are remembered,
 * throttling, lost answers, and a cloud that needs time. It is ours: it shows that the driver does
 * what the documents of EC2 say, not that EC2 does.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listening, type Listening } from '../../support/listening.ts';
import { act } from './actions.ts';
import { formOf, type Form } from './form.ts';
import {
  DoubleInstances,
  noDelays,
  type Death,
  type Delays,
  type DoubleInstance,
} from './instances.ts';
import { Refusal } from './refusal.ts';
import { errorOf } from './xml.ts';
import { keptAlive } from '../../../deploy/local/virtual-cloud/http-server.ts';

export interface Cut {
  /** Which request from now on, from 1. */
  request: number;
  /**
   * Before the work is done; after it, so that only the answer is lost; within the answer, of which
   * half comes; or nothing happens, for ever.
   */
  when: 'before' | 'after' | 'within' | 'never';
}

export interface Fault {
  action: string;
  code: string;
  message?: string;
  status?: number;
  retryAfter?: string;
  /** Default 1. */
  times?: number;
}

export interface StrangersAnswer {
  status: number;
  body: string;
  /** In place of which answers. Default: the next ones. */
  action?: string;
}

export interface Bucket {
  action: string;
  calls: number;
  callsPerSecond: number;
}

export interface Ec2Double extends Listening {
  /** In the order made, the terminated ones too. */
  readonly instances: readonly DoubleInstance[];
  /** Since the last `reset`. */
  readonly requests: readonly Form[];
  /** Whose signature the last request had. */
  lastAccessKey(): string | undefined;
  delay(delays: Partial<Delays>): void;
  refuse(fault: Fault): void;
  /** The next instance that is made ends by itself. */
  die(death: Death): void;
  /** The clock goes on, seconds: terminations and buckets wait for it. */
  pass(seconds: number): void;
  /**
   * As EC2 limits calls: a bucket that fills again with the clock; a call that finds it empty is
   * refused, without Retry-After.
   */
  limitCalls(bucket: Bucket): void;
  /** So many answers come from something else than EC2. Default: an HTML page with 404. */
  answerAsStranger(times: number, answer?: Partial<StrangersAnswer>): void;
  /** Terminated instances lose their tags. */
  dropTags(): void;
  /** The connection ends without an answer. */
  cut(cut: Cut): void;
  /** All instances are gone without a trace when the first request with this action comes. */
  forgetAt(action: string): void;
  /** So many instances in a page of a list, at most. Default: as asked for. */
  limitPages(size: number): void;
  /** No more faults, cuts and delays; forgets the requests, keeps the instances. */
  reset(): void;
}

const pageOfStranger: StrangersAnswer = { status: 404, body: '<html>404, that is all.</html>' };

export async function startEc2Double(): Promise<Ec2Double> {
  const instances = new DoubleInstances();
  const faults: Double['faults'] = [];
  const requests: Form[] = [];
  const cuts: Cut[] = [];
  const buckets: Double['buckets'] = [];
  let strangers = 0;
  let strange = pageOfStranger;
  let lastAccessKey: string | undefined;
  const isCut = (when: Cut['when']): boolean =>
    cuts.some((cut) => cut.when === when && cut.request === requests.length);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = formOf(await text(request));
    requests.push(form);
    lastAccessKey = /Credential=([^/]+)/.exec(request.headers.authorization ?? '')?.[1];
    if (isCut('never')) return;
    if (isCut('before')) return void response.destroy();
    if (strangers > 0 && (strange.action ?? form.get('Action')) === form.get('Action')) {
      strangers -= 1;
      response.writeHead(strange.status, { 'content-type': 'text/html' }).end(strange.body);
      return;
    }
    const { status, headers, body } = answerTo(form, { instances, faults, buckets });
    if (isCut('after')) return void response.destroy();
    if (isCut('within')) return breakOff(response, { status, body });
    response.writeHead(status, { 'content-type': 'text/xml', ...headers }).end(body);
  };
  const server = createServer(keptAlive, (request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(Object(error)));
  });
  return {
    ...(await listening(server)),
    instances: instances.all,
    requests,
    lastAccessKey: () => lastAccessKey,
    delay: (delays) => void (instances.delays = { ...instances.delays, ...delays }),
    die: (death) => void instances.deaths.push(death),
    pass: (seconds) => void (instances.now += seconds),
    limitCalls: (bucket) => void buckets.push({ ...bucket, left: bucket.calls, at: instances.now }),
    answerAsStranger(times, more = {}) {
      strangers = times;
      strange = { ...pageOfStranger, ...more };
    },
    dropTags: () => void (instances.dropsTags = true),
    refuse: (fault) => void faults.push({ times: 1, ...fault }),
    forgetAt: (action) => (instances.forgetAt = action),
    limitPages: (size) => (instances.pageSize = size),
    cut: ({ request, when }) => void cuts.push({ request: requests.length + request, when }),
    reset() {
      faults.length = 0;
      cuts.length = 0;
      requests.length = 0;
      buckets.length = 0;
      strangers = 0;
      instances.delays = noDelays;
      instances.deaths.length = 0;
      instances.dropsTags = false;
      instances.pageSize = Number.POSITIVE_INFINITY;
    },
  };
}

function breakOff(
  response: ServerResponse,
  { status, body }: { status: number; body: string },
): void {
  const head = { 'content-type': 'text/xml', 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, head).write(body.slice(0, body.length / 2), () => response.destroy());
}

interface Double {
  instances: DoubleInstances;
  faults: (Fault & { times: number })[];
  buckets: (Bucket & { left: number; at: number })[];
}

function answerTo(form: Form, { instances, faults, buckets }: Double) {
  try {
    refuseAsPlanned(form, faults);
    takeFromBucket(form, buckets, instances.now);
    return { status: 200, headers: {}, body: act(instances, form) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message, status, retryAfter } = error;
    const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
    return { status, headers, body: errorOf(code, message) };
  }
}

function refuseAsPlanned(form: Form, faults: Double['faults']): void {
  const fault = faults.find(({ action, times }) => action === form.get('Action') && times > 0);
  if (!fault) return;
  fault.times -= 1;
  throw new Refusal(fault);
}

function takeFromBucket(form: Form, buckets: Double['buckets'], now: number): void {
  const bucket = buckets.find(({ action }) => action === form.get('Action'));
  if (!bucket) return;
  const filled = bucket.left + (now - bucket.at) * bucket.callsPerSecond;
  bucket.left = Math.min(filled, bucket.calls);
  bucket.at = now;
  if (bucket.left < 1) throw new Refusal({ code: 'RequestLimitExceeded', status: 503 });
  bucket.left -= 1;
}
