/**
 * Yandex Compute Cloud on the wire, for tests. What it refuses is taken from the published protobuf
 * descriptions (yandex-cloud/cloudapi, yandex/cloud/compute/v1/instance_service.proto). It injects
 * no faults.
 */
import { constants, verify, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { listening, type Listening } from '../../support/listening.ts';
import { Refusal } from '../rest/refusal.ts';
import { fieldFaults } from './rules.ts';

export interface StoredInstance {
  id: string;
  name: string;
  body: { zoneId: string; labels: Record<string, string>; [field: string]: unknown };
  createdAt: number;
  /** Instead of what its operations say. */
  status?: string;
  console?: string;
}

interface StoredOperation {
  id: string;
  kind: 'create' | 'delete' | 'update';
  target: StoredInstance;
  begunAt: number;
  doneAt: number;
  error?: { code: number; message: string };
  isApplied: boolean;
}

export interface YandexDouble extends Listening {
  instances: StoredInstance[];
  madeByName: Map<string, number>;
  calls: { method: string; path: string; body: unknown }[];
  tokensGiven: () => number;
  pass: (milliseconds: number) => void;
  /** The next create ends so: a zone that is full says it in the operation. */
  endNextCreate: (error: { code: number; message: string }) => void;
  /** No token is good any more. */
  forgetTokens: () => void;
}

export interface DoubleOptions {
  folder: string;
  keyId: string;
  serviceAccountId: string;
  publicKey: KeyObject;
  operationMilliseconds?: number;
}

export async function startYandexDouble(options: DoubleOptions): Promise<YandexDouble> {
  const { folder, operationMilliseconds = 0 } = options;
  const instances: StoredInstance[] = [];
  const operations = new Map<string, StoredOperation>();
  const madeByName = new Map<string, number>();
  const calls: YandexDouble['calls'] = [];
  const tokens = new Set<string>();
  const errors: { code: number; message: string }[] = [];
  let tokenCount = 0;
  let count = 0;
  let passed = 0;
  /** Moves with that of the driver, which tells by it what is news. */
  const now = (): number => Date.now() + passed;

  const nextId = (kind: string): string => {
    count += 1;
    return `fhm${kind}${String(count).padStart(12, '0')}`;
  };

  const advance = (): void => {
    for (const operation of operations.values()) {
      if (operation.isApplied || operation.doneAt > now()) continue;
      operation.isApplied = true;
      const isGone =
        operation.kind === 'delete' || (operation.kind === 'create' && operation.error);
      const index = instances.indexOf(operation.target);
      if (isGone && index >= 0) instances.splice(index, 1);
    }
  };

  const begin = (kind: StoredOperation['kind'], target: StoredInstance): object => {
    const error = kind === 'create' ? errors.shift() : undefined;
    const id = nextId('op');
    const doneAt = now() + operationMilliseconds;
    const times = { begunAt: now(), doneAt, isApplied: false };
    operations.set(id, { id, kind, target, ...times, ...(error && { error }) });
    advance();
    return shownOperation(id);
  };

  const shownOperation = (id: string): object => {
    const operation = operations.get(id);
    if (!operation) throw new Refusal(404, 5, `Operation ${id} not found`);
    const { error, target, isApplied, begunAt, doneAt } = operation;
    return {
      id,
      done: isApplied,
      createdAt: new Date(begunAt).toISOString(),
      modifiedAt: new Date(isApplied ? doneAt : begunAt).toISOString(),
      metadata: { instanceId: target.id },
      ...(isApplied && (error ? { error } : { response: {} })),
    };
  };

  const statusOf = (instance: StoredInstance): string => {
    if (instance.status !== undefined) return instance.status;
    const open = [...operations.values()].filter(
      (one) => one.target === instance && !one.isApplied,
    );
    if (open.some(({ kind }) => kind === 'delete')) return 'DELETING';
    return open.some(({ kind }) => kind === 'create') ? 'PROVISIONING' : 'RUNNING';
  };

  const shown = (instance: StoredInstance): object => ({
    id: instance.id,
    folderId: folder,
    name: instance.name,
    createdAt: new Date(instance.createdAt).toISOString(),
    zoneId: instance.body.zoneId,
    labels: instance.body.labels,
    status: statusOf(instance),
    schedulingPolicy: instance.body['schedulingPolicy'],
    networkInterfaces: [{ index: '0', primaryV4Address: { address: '10.0.0.7' } }],
  });

  const find = (id: string): StoredInstance => {
    const found = instances.find((instance) => instance.id === id);
    if (!found) throw new Refusal(404, 5, `Instance ${id} not found`);
    return found;
  };

  const create = (body: object): object => {
    const faults = fieldFaults(body);
    if (faults.length > 0)
      throw new Refusal(400, 3, `Request validation error: ${faults.join('; ')}`);
    const {
      folderId,
      name = '',
      zoneId = '',
      labels = {},
      ...rest
    }: Record<string, string> & { labels?: Record<string, string> } = Object(body);
    if (folderId !== folder) throw new Refusal(403, 7, 'Permission denied');
    if (instances.some((other) => other.name === name)) {
      throw new Refusal(409, 6, `Instance with name ${name} already exists`);
    }
    const instance = { id: nextId('i'), name, body: { ...rest, zoneId, labels }, createdAt: now() };
    instances.push(instance);
    madeByName.set(name, (madeByName.get(name) ?? 0) + 1);
    return begin('create', instance);
  };

  const list = (query: URLSearchParams): object => {
    if (query.get('folderId') !== folder) throw new Refusal(403, 7, 'Permission denied');
    const filter = query.get('filter');
    const [, name] = filter === null ? [] : (/^name\s*=\s*"([^"]*)"$/.exec(filter) ?? []);
    if (filter !== null && name === undefined) throw new Refusal(400, 3, 'filter');
    const size = Number(query.get('pageSize') ?? 100);
    if (!(size >= 0 && size <= 1_000)) throw new Refusal(400, 3, 'pageSize');
    const found = instances.filter((one) => name === undefined || one.name === name);
    const start = Number(query.get('pageToken') ?? 0);
    const end = start + size;
    return {
      instances: found.slice(start, end).map(shown),
      ...(end < found.length && { nextPageToken: String(end) }),
    };
  };

  const giveToken = (body: unknown): object => {
    const { jwt } = Object(body);
    if (!isJwt(String(jwt), options, now())) throw new Refusal(401, 16, 'JWT is not valid');
    tokenCount += 1;
    const iamToken = `t1.canary-of-the-token-${tokenCount}`;
    tokens.add(iamToken);
    return { iamToken, expiresAt: new Date(now() + 43_200_000).toISOString() };
  };

  const label = (instance: StoredInstance, body: unknown): object => {
    const { updateMask, labels } = Object(body);
    if (updateMask !== 'labels') throw new Refusal(400, 3, 'updateMask');
    instance.body.labels = labels;
    return begin('update', instance);
  };

  const ofInstance = (instance: StoredInstance, call: string, body: unknown): object => {
    if (call === 'GET:serialPortOutput') return { contents: instance.console ?? '' };
    if (call === 'DELETE') return begin('delete', instance);
    if (call === 'PATCH') return label(instance, body);
    throw new Refusal(404, 5, 'no such call');
  };

  const answerTo = (incoming: IncomingMessage, text: string): object => {
    const { method = '', headers } = incoming;
    const url = new URL(incoming.url ?? '/', 'http://double');
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    calls.push({ method, path: `${url.pathname}${url.search}`, body });
    advance();
    if (url.pathname === '/iam/v1/tokens' && method === 'POST') return giveToken(body);
    const token = (headers.authorization ?? '').replace(/^Bearer /, '');
    if (!tokens.has(token)) throw new Refusal(401, 16, 'The token is invalid');
    const [, operation] = /^\/operations\/(\w+)$/.exec(url.pathname) ?? [];
    if (operation !== undefined) return shownOperation(operation);
    const [, id, verb] = /^\/compute\/v1\/instances(?:\/(\w+))?(:\w+)?$/.exec(url.pathname) ?? [];
    if (id === undefined) return method === 'POST' ? create(Object(body)) : list(url.searchParams);
    return ofInstance(find(id), `${method}${verb ?? ''}`, body);
  };

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await textOf(incoming);
    const headers = { 'content-type': 'application/json', 'x-request-id': nextId('r') };
    try {
      const answer = answerTo(incoming, text);
      response.writeHead(200, headers).end(JSON.stringify(answer));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, code, message } = error;
      response.writeHead(status, headers).end(JSON.stringify({ code, message, details: [] }));
    }
  };

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => {
      response.writeHead(500).end(`the double is broken: ${String(error)}`);
    });
  });
  return {
    ...(await listening(server)),
    instances,
    madeByName,
    calls,
    tokensGiven: () => tokenCount,
    pass: (milliseconds) => {
      passed += milliseconds;
      advance();
    },
    endNextCreate: (error) => void errors.push(error),
    forgetTokens: () => tokens.clear(),
  };
}

const read = (part: string): Record<string, unknown> =>
  Object(JSON.parse(Buffer.from(part, 'base64url').toString() || '{}'));

function isJwt(
  jwt: string,
  { keyId, serviceAccountId, publicKey }: DoubleOptions,
  now: number,
): boolean {
  const [head = '', claims = '', signature = ''] = jwt.split('.');
  const { alg, kid } = read(head);
  const { iss, aud, exp } = read(claims);
  const isMeant =
    alg === 'PS256' &&
    kid === keyId &&
    iss === serviceAccountId &&
    aud === 'https://iam.api.cloud.yandex.net/iam/v1/tokens' &&
    Number(exp) * 1_000 > now;
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
  const bytes = Buffer.from(signature, 'base64url');
  return (
    isMeant &&
    verify('sha256', Buffer.from(`${head}.${claims}`), { key: publicKey, ...padding }, bytes)
  );
}
