/**
 * A double of Azure over HTTPS: tokens, Resource Manager, Resource Graph. It checks the shape of
 * every request and refuses what it does not know, holds state, and fails as a test orders. It
 * shows that the driver does what Azure's documents say, not what Azure does.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listening, type Listening } from '../../support/listening.ts';
import { CertificateAuthority } from '../../../deploy/local/cluster/certificates.ts';
import { answerAdmin } from './admin.ts';
import { answerOf, Refusal, type Answer } from './answer.ts';
import { createFaults, type Fault } from './faults.ts';
import type { AzureDouble, DoubleOptions } from './double.ts';
import { answerManager, signature } from './resource-manager.ts';
import { Resources, type Resource, type World } from './resources.ts';
import { createAuthority, type Application } from './token.ts';
import { keptAlive } from '../../../deploy/local/virtual-cloud/http-server.ts';

/** What tests say in their Secrets and classes. */
export const application: Application = {
  tenant: '11111111-1111-1111-1111-111111111111',
  clientId: '22222222-2222-2222-2222-222222222222',
  clientSecret: 'the-secret-of-the-double',
};

export const subscription = '33333333-3333-3333-3333-333333333333';

function newWorld(): World {
  return {
    subscription,
    apiVersions: {
      compute: ['2023-03-01', '2023-09-01', '2024-03-01', '2024-07-01'],
      disks: ['2023-04-02', '2023-10-02', '2024-03-02'],
      network: ['2023-09-01', '2024-01-01', '2024-05-01'],
      graph: ['2021-03-01', '2022-10-01'],
      marketplace: ['2021-01-01'],
    },
    quota: 1_000,
    unavailableSizes: [],
    reservationSeconds: 0,
    groups: ['rg-1', 'rg-2', 'network-rg'],
    subnets: ['rg-1/vnet-1/nodes', 'rg-2/vnet-1/nodes', 'network-rg/vnet-1/nodes'],
    images: {
      'sap:gardenlinux:greatest:1.2.3': { plan: true },
      'sap:gardenlinux:greatest:1.10.0': { plan: true },
      'canonical:ubuntu:24_04-lts:24.04.1': { plan: false },
    },
    accepted: new Set(),
  };
}

export async function startAzureDouble(options: DoubleOptions = {}): Promise<AzureDouble> {
  const folder = mkdtempSync(join(tmpdir(), 'azure-double-'));
  const ca = await CertificateAuthority.loadOrCreate(join(folder, 'ca'));
  const caFile = options.caFile ?? join(folder, 'ca.pem');
  writeFileSync(caFile, ca.certificate);
  const pair = await ca.issue({ name: 'azure-double', hosts: ['127.0.0.1', 'localhost'] });
  const tls = { cert: pair.certificate, key: pair.key };
  const server = createServer({ ...tls, ...keptAlive });
  const open = await listening(server, options.port);
  const double = createDouble({
    options,
    caFile,
    tls,
    url: `https://127.0.0.1:${open.port}`,
    open,
    folder,
  });
  server.on('request', (request, response) => {
    void serve(double, request, response);
  });
  return double;
}

interface Parts {
  options: DoubleOptions;
  caFile: string;
  tls: AzureDouble['tls'];
  url: string;
  open: Listening;
  folder: string;
}

interface RunningDouble extends AzureDouble {
  indexed: readonly Resource[] | undefined;
  operationMilliseconds: number;
  pageSize: number;
}

function createDouble({ options, caFile, tls, url, open, folder }: Parts): RunningDouble {
  const world = newWorld();
  const double: RunningDouble = {
    url,
    caFile,
    tls,
    application,
    world,
    faults: createFaults(),
    authority: createAuthority(application, () => url),
    resources: new Resources(world),
    calls: [],
    indexed: undefined,
    operationMilliseconds: options.operationMilliseconds ?? 20,
    pageSize: options.pageSize ?? 100,
    freezeGraph() {
      double.resources.advance();
      double.indexed = double.resources.all().map((resource) => ({ ...resource }));
    },
    thawGraph() {
      double.indexed = undefined;
    },
    reset() {
      double.world = newWorld();
      double.resources = new Resources(double.world);
      double.faults.clear();
      double.authority.restore();
      double.calls.length = 0;
      double.indexed = undefined;
    },
    async close() {
      await open.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return double;
}

async function serve(
  double: RunningDouble,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const text = await readText(request);
  const url = new URL(request.url ?? '/', double.url);
  const heard = { method: request.method ?? 'GET', path: decodeURIComponent(url.pathname), text };
  const given = double.authority.answer(heard) ?? answerAdmin(double, heard);
  // A silent authority: whoever asks waits.
  if (given === 'silence') return;
  if (given) send(response, given);
  else if (heard.path.startsWith('/_storage/'))
    serveStorage(double, { ...heard, url, request, response });
  else serveManager(double, { ...heard, url, request, response });
}

interface Heard {
  method: string;
  path: string;
  text: string;
  url: URL;
  request: IncomingMessage;
  response: ServerResponse;
}

/** Storage accounts, which know nothing of tokens for the Resource Manager. */
function serveStorage(double: RunningDouble, heard: Heard): void {
  const { method, path, url, request, response } = heard;
  double.calls.push({ method, path, body: undefined });
  const fault = double.faults.take(`${method} ${path}`.toLowerCase());
  if (fault?.kind === 'hang') return;
  const isRefused = request.headers.authorization !== undefined || url.search !== `?${signature}`;
  const status = fault?.status ?? (isRefused ? 403 : 200);
  const vm = double.resources.get(path.slice('/_storage'.length).toLowerCase());
  const headers = { 'content-type': 'text/plain', location: `${double.url}/_storage/elsewhere` };
  response.writeHead(status, headers);
  response.end(status === 200 ? vm?.serial : 'AuthenticationFailed');
}

function serveManager(double: RunningDouble, heard: Heard): void {
  const { method, path, text, url, request, response } = heard;
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  double.calls.push({ method, path, body });
  const fault = double.faults.take(`${method} ${path}`.toLowerCase());
  if (fault?.kind === 'hang') return;
  if (fault?.kind === 'cut') {
    request.socket.destroy();
    return;
  }
  if (fault?.kind === 'html') {
    sendPage(response, fault);
    return;
  }
  const answer = settled(() => {
    requireToken(double, request);
    if (fault) refuse(fault);
    double.resources.advance();
    const asked = { method, path, query: url.searchParams, body, fault };
    return answerManager({ ...double, origin: double.url }, asked);
  });
  if (fault?.kind === 'loseAnswer') request.socket.destroy();
  else send(response, answer);
}

function settled(act: () => Answer): Answer {
  try {
    return act();
  } catch (error) {
    if (error instanceof Refusal) return answerOf(error);
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return answerOf(new Refusal(400, 'DoubleIsBroken', message));
  }
}

function requireToken({ authority }: RunningDouble, { headers }: IncomingMessage): void {
  const [, token = ''] = /^Bearer (.+)$/.exec(headers.authorization ?? '') ?? [];
  if (authority.isGood(token)) return;
  throw new Refusal(401, 'InvalidAuthenticationToken', 'The access token is invalid.');
}

function refuse(fault: Fault): void {
  const { kind, status, code, message, seconds, details = [] } = fault;
  if (kind === 'throttle') {
    const refusal = new Refusal(429, code ?? 'TooManyRequests', message ?? 'too many requests');
    refusal.retryAfterSeconds = seconds ?? 1;
    throw Object.assign(refusal, { details });
  }
  if (kind !== 'refuse') return;
  const refusal = new Refusal(status ?? 400, code ?? 'InvalidParameter', message ?? 'on purpose');
  throw Object.assign(refusal, { details });
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

function sendPage(response: ServerResponse, { status = 404 }: Pick<Fault, 'status'>): void {
  response.writeHead(status, { 'content-type': 'text/html' });
  response.end('<html><head><title>404 Not Found</title></head><body>nginx</body></html>');
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  const type = 'application/json; charset=utf-8';
  response.writeHead(status, { 'content-type': type, 'x-ms-request-id': randomUUID(), ...headers });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}
