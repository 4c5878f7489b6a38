/**
 * Alibaba Cloud's ECS on the wire, for tests: the five calls that the driver makes. It injects no
 * faults; what a test orders of it is what a user could do or the cloud does by itself.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { listening, type Listening } from '../../support/listening.ts';
import { answerTo } from './actions.ts';
import { Cloud, type CloudTimes } from './cloud.ts';
import { faultsOf, isCallName, type CallName } from './model.ts';
import { Refusal } from '../rest/refusal.ts';
import { canonicalRequest, signatureIn, signatureOf } from './signature.ts';

export interface SeenCall {
  action: string;
  query: Readonly<Record<string, string>>;
  code: string;
}

export interface AlicloudDouble extends Listening {
  cloud: Cloud;
  calls: SeenCall[];
  /** Of the double's clock, which begins with the present time and stands still. */
  now: () => number;
  pass: (milliseconds: number) => void;
  /** The next calls of this action are refused so, as many as are ordered. */
  refuse: (action: CallName, refusal: Refusal, headers?: Record<string, string>) => void;
  /** Also signed for: a proxy stands before the double. */
  alsoCalled: (host: string) => void;
}

export interface DoubleOptions {
  /** By id; the values are secrets. */
  accessKeys: Readonly<Record<string, string>>;
  times?: Partial<CloudTimes>;
  /** So far its clock is behind, in milliseconds. Default 0. */
  behind?: number;
}

interface Ordered {
  action: CallName;
  refusal: Refusal;
  headers: Record<string, string>;
}

export async function startAlicloudDouble({
  accessKeys,
  times = {},
  behind = 0,
}: DoubleOptions): Promise<AlicloudDouble> {
  const cloud = new Cloud({ unseen: 0, pending: 0, starting: 0, stopping: 0, ...times });
  const calls: SeenCall[] = [];
  const hosts: string[] = [];
  const ordered: Ordered[] = [];
  let now = Date.now() - behind;
  let requests = 0;

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await textOf(incoming);
    const { method = '', headers } = incoming;
    const url = new URL(incoming.url ?? '/', 'http://double');
    const query = Object.fromEntries(url.searchParams);
    const action = String(headers['x-acs-action']);
    const seen: SeenCall = { action, query, code: 'OK' };
    calls.push(seen);
    requests += 1;
    const requestId = `R-${String(requests).padStart(8, '0')}`;
    let status = 200;
    let answer: object;
    let more: Record<string, string> = {};
    try {
      const plain = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, String(value)]),
      );
      requireSignature({ method, path: url.pathname, query, headers: plain, body });
      if (!isCallName(action)) throw new Refusal(404, 'InvalidAction.NotFound', 'No such action.');
      if (headers['x-acs-version'] !== '2014-05-26') {
        throw new Refusal(400, 'InvalidVersion', 'Specified parameter Version is not valid.');
      }
      const index = ordered.findIndex((one) => one.action === action);
      const [order] = index < 0 ? [] : ordered.splice(index, 1);
      more = order?.headers ?? {};
      if (order) throw order.refusal;
      const faults = faultsOf(action, query);
      if (faults.length > 0) {
        throw new Refusal(400, 'InvalidParameter', `not in the model: ${faults.join(', ')}`);
      }
      answer = answerTo(action, { cloud, query, now });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      ({ status } = error);
      seen.code = error.code;
      answer = { Code: error.code, Message: error.message, HostId: 'ecs.aliyuncs.com' };
    }
    response.writeHead(status, {
      'content-type': 'application/json;charset=utf-8',
      'x-acs-request-id': requestId,
      ...more,
    });
    response.end(JSON.stringify({ RequestId: requestId, ...answer }));
  };

  const requireSignature = (call: Parameters<typeof canonicalRequest>[0]): void => {
    const given = signatureIn(call.headers['authorization']);
    if (!given) throw new Refusal(400, 'IncompleteSignature', 'The signature is not complete.');
    const secret = Object.hasOwn(accessKeys, given.keyId) ? accessKeys[given.keyId] : undefined;
    if (secret === undefined) {
      throw new Refusal(404, 'InvalidAccessKeyId.NotFound', 'Specified access key is not found.');
    }
    const canonicals = [call.headers['host'], ...hosts].map((host) =>
      canonicalRequest({ ...call, headers: { ...call.headers, host } }, given.signed),
    );
    if (canonicals.some((text) => signatureOf(text, secret) === given.signature)) return;
    // As the cloud says it: with all that was signed.
    throw new Refusal(
      400,
      'SignatureDoesNotMatch',
      `Specified signature is not matched with our calculation. server StringToSign is [ACS3] server CanonicalRequest is [${canonicals[0]}]`,
    );
  };

  const server = createServer({ maxHeaderSize: 1 << 20 }, (incoming, response) => {
    serve(incoming, response).catch((error: unknown) => {
      response.writeHead(500).end(`the double is broken: ${String(error)}`);
    });
  });
  return {
    ...(await listening(server)),
    cloud,
    calls,
    now: () => now,
    pass: (milliseconds) => {
      now += milliseconds;
    },
    refuse: (action, refusal, headers = {}) => void ordered.push({ action, refusal, headers }),
    alsoCalled: (host) => void hosts.push(host),
  };
}
