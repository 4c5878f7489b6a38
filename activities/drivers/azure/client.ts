/** Clients of Azure's SDKs, made when they are first needed and kept while they are used. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ComputeManagementClient } from '@azure/arm-compute';
import type { NetworkManagementClient } from '@azure/arm-network';
import type { ResourceGraphClient } from '@azure/arm-resourcegraph';
import type {
  createPipelineRequest,
  HttpClient,
  PipelinePolicy,
  Pipeline,
} from '@azure/core-rest-pipeline';
import type { ClientSecretCredential, TokenCredential } from '@azure/identity';
import { ClientCache, isWorthRenewal } from '../client-cache.ts';
import { withApiVersion, type ApiVersions } from './api-versions.ts';
import type { Cloud } from './clouds.ts';
import type { CredentialPlan } from './credentials.ts';
import { noteCloudRequest } from '../../system/cloud-requests.ts';
import { monotonicMs } from '../../system/system.ts';

export interface AzureClients {
  subscriptionId: string;
  /** The Resource Manager's URL, without a slash at its end. */
  endpoint: string;
  compute: ComputeManagementClient;
  network: NetworkManagementClient;
  graph: ResourceGraphClient;
  /** For requests that no client has a method for; goes with the pipeline of `compute`. */
  http: HttpClient;
  newRequest: typeof createPipelineRequest;
  /** GET of a URL that has a signature of its own. */
  readWithoutCredentials(url: string, abortSignal: AbortSignal): Promise<PlainAnswer>;
  /** The credentials are in a file, of which these clients have what was there first. */
  areOfFile: boolean;
  /** Has a token been asked for that is not there yet? */
  isWaitingForToken(): boolean;
  /** These clients hang: the next call gets others. */
  abandon(): void;
  /**
   * The Resource Manager refuses the token that these clients were given: the next call gets
   * others, but not again and again.
   */
  refuse(): void;
}

export interface AccountAccess {
  cloud: Cloud;
  plan: CredentialPlan;
}

export interface ClientSource {
  /** Loads the SDKs, which takes about a second. */
  prepare(): Promise<void>;
  of(access: AccountAccess): Promise<AzureClients>;
}

/** One call had no answer within its time. */
export class CallTimeLimit extends Error {
  override readonly name = 'CallTimeLimit';
}

/** The credentials give no token; why is its cause. */
export class TokenFailure extends Error {
  override readonly name = 'TokenFailure';
}

/** What is kept for one account. */
interface KeptClients {
  clients?: AzureClients;
  /** Milliseconds. */
  renewedAt?: number;
}

export interface ClientSourceOptions {
  apiVersions: ApiVersions;
  /** Milliseconds; only differences count. Default the clock of the process. */
  now?: () => number;
}

/**
 * A set of clients serves its account until it is abandoned or refused. Both count once for each
 * set: calls that were under way with it say so too.
 */
export function createClientSource({
  apiVersions,
  now = monotonicMs,
}: ClientSourceOptions): ClientSource {
  const cache = new ClientCache<KeptClients>();
  return {
    async prepare() {
      await loadSdks();
    },
    async of(access) {
      const sdks = await loadSdks();
      const kept = cache.get([digestOf(access)], (): KeptClients => ({}));
      kept.clients ??= newClients(sdks, { ...access, apiVersions }, { kept, now });
      return kept.clients;
    },
  };
}

function newClients(
  sdks: Sdks,
  access: AccountAccess & { apiVersions: ApiVersions },
  { kept, now }: { kept: KeptClients; now: () => number },
): AzureClients {
  const clients: AzureClients = {
    ...makeClients(sdks, access),
    abandon() {
      if (kept.clients === clients) delete kept.clients;
    },
    refuse() {
      const { renewedAt = -Infinity } = kept;
      if (kept.clients !== clients || !isWorthRenewal(now() - renewedAt)) return;
      kept.renewedAt = now();
      delete kept.clients;
    },
  };
  return clients;
}

function digestOf({ cloud, plan }: AccountAccess): string {
  return createHash('sha256')
    .update(JSON.stringify([cloud, plan]))
    .digest('hex');
}

/** At the first call only: a worker that never sees Azure does not pay for them. */
async function loadSdks() {
  const [compute, network, graph, identity, pipeline] = await Promise.all([
    import('@azure/arm-compute'),
    import('@azure/arm-network'),
    import('@azure/arm-resourcegraph'),
    import('@azure/identity'),
    import('@azure/core-rest-pipeline'),
  ]);
  return { compute, network, graph, identity, pipeline };
}

type Sdks = Awaited<ReturnType<typeof loadSdks>>;

function makeClients(
  sdks: Sdks,
  { cloud, plan, apiVersions }: AccountAccess & { apiVersions: ApiVersions },
): Omit<AzureClients, 'abandon' | 'refuse'> {
  const { subscriptionId } = plan;
  const shared = sharedOptions(cloud);
  const authority = { authorityHost: cloud.authority, disableInstanceDiscovery: cloud.isPrivate };
  const { credential, isWaiting } = watched(credentialOf(sdks, plan, { ...shared, ...authority }));
  const { createDefaultHttpClient, createPipelineRequest: newRequest } = sdks.pipeline;
  const http = createDefaultHttpClient();
  const plain = {
    pipeline: sdks.pipeline.createPipelineFromOptions({
      ...shared,
      redirectOptions: { maxRetries: 0 },
    }),
    http,
    newRequest,
  };
  const options = {
    ...shared,
    endpoint: cloud.endpoint,
    credentials: { scopes: [cloud.scope] },
    additionalPolicies: [
      { policy: pinnedVersions(apiVersions), position: 'perCall' as const },
      { policy: notedRequests, position: 'perCall' as const },
    ],
  };
  return {
    subscriptionId,
    endpoint: cloud.endpoint,
    compute: new sdks.compute.ComputeManagementClient(credential, subscriptionId, options),
    network: new sdks.network.NetworkManagementClient(credential, subscriptionId, options),
    graph: new sdks.graph.ResourceGraphClient(credential, options),
    http,
    newRequest,
    readWithoutCredentials: (url, signal) => readPlainly(plain, url, signal),
    areOfFile: plan.kind === 'certificateFile',
    isWaitingForToken: isWaiting,
  };
}

/** One call of an SDK is one request: who calls the driver tries again. */
function sharedOptions({ caFile }: Cloud) {
  return {
    retryOptions: { maxRetries: 0 },
    ...(caFile !== undefined && { tlsOptions: { ca: readFileSync(caFile, 'utf8') } }),
  };
}

type CredentialOptions = ConstructorParameters<typeof ClientSecretCredential>[3];

function credentialOf(
  { identity }: Sdks,
  plan: CredentialPlan,
  options: NonNullable<CredentialOptions>,
) {
  switch (plan.kind) {
    case 'secret':
      return new identity.ClientSecretCredential(
        plan.tenantId,
        plan.clientId,
        plan.clientSecret,
        options,
      );
    case 'certificate':
      return new identity.ClientCertificateCredential(
        plan.tenantId,
        plan.clientId,
        { certificate: plan.certificate },
        options,
      );
    case 'certificateFile':
      return new identity.ClientCertificateCredential(
        plan.tenantId,
        plan.clientId,
        plan.certificatePath,
        options,
      );
    case 'tokenFile':
      return new identity.WorkloadIdentityCredential({ ...plan, ...options });
    case 'managedIdentity':
      return plan.clientId === ''
        ? new identity.ManagedIdentityCredential()
        : new identity.ManagedIdentityCredential({ clientId: plan.clientId });
  }
}

/**
 * Distinguishes failures of the credential from those of requests. It does not listen to abort
 * signals, so a token may never come.
 */
function watched(credential: TokenCredential): {
  credential: TokenCredential;
  isWaiting: () => boolean;
} {
  let waiting = 0;
  return {
    isWaiting: () => waiting > 0,
    credential: {
      async getToken(scopes, options) {
        waiting += 1;
        try {
          return await credential.getToken(scopes, options);
        } catch (cause) {
          throw new TokenFailure('no token', { cause });
        } finally {
          waiting -= 1;
        }
      },
    },
  };
}

/**
 * For every client and request: the SDKs ask for versions that clouds with a slower pace do not
 * have yet.
 */
function pinnedVersions(apiVersions: ApiVersions): PipelinePolicy {
  return {
    name: 'millwrightApiVersions',
    async sendRequest(request, next) {
      request.url = withApiVersion(request.url, apiVersions);
      return await next(request);
    },
  };
}

/** The Resource Manager gives an id with each answer, also with those that are errors. */
const notedRequests: PipelinePolicy = {
  name: 'millwrightNotedRequests',
  async sendRequest(request, next) {
    const response = await next(request);
    const { headers } = response;
    const id = headers.get('x-ms-request-id') ?? headers.get('x-ms-correlation-request-id');
    // A search of the Resource Graph is a POST as well.
    const isQuery = request.url.includes('/providers/Microsoft.ResourceGraph/');
    noteCloudRequest(id, request.method !== 'GET' && !isQuery);
    return response;
  },
};

interface PlainAnswer {
  status: number;
  /** The last 64 KiB of the body, at most. */
  end: string;
}

/** A pipeline without credentials, and without redirects: a signature is for one host. */
interface PlainParts {
  pipeline: Pipeline;
  http: HttpClient;
  newRequest: typeof createPipelineRequest;
}

const longestEnd = 65_536;
/** More is not read: the log is bounded by Azure, its host might be anybody's. */
const longestBody = 16 * 1_024 * 1_024;

/** Reads a URL that has its own signature: no credentials go with the request. */
async function readPlainly(
  { pipeline, http, newRequest }: PlainParts,
  url: string,
  abortSignal: AbortSignal,
): Promise<PlainAnswer> {
  const request = newRequest({ method: 'GET', url, abortSignal });
  request.streamResponseStatusCodes = new Set([200]);
  const { status, readableStreamBody } = await pipeline.sendRequest(http, request);
  if (!readableStreamBody) return { status, end: '' };
  return { status, end: (await endOf(readableStreamBody)).toString('utf8') };
}

async function endOf(body: NodeJS.ReadableStream): Promise<Buffer> {
  let end = Buffer.alloc(0);
  let length = 0;
  // Leaving the loop closes the connection.
  for await (const chunk of body) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    end = Buffer.concat([end, bytes]).subarray(-longestEnd);
    if (length > longestBody) break;
  }
  return end;
}
