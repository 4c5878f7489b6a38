/** Clients of Azure's SDKs, made when they are first needed and kept while they are used. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ComputeManagementClient } from '@azure/arm-compute';
import type { NetworkManagementClient } from '@azure/arm-network';
import type { ResourceGraphClient } from '@azure/arm-resourcegraph';
import type { createPipelineRequest, HttpClient, PipelinePolicy } from '@azure/core-rest-pipeline';
import type { ClientSecretCredential, TokenCredential } from '@azure/identity';
import { ClientCache } from '../client-cache.ts';
import type { Cloud } from './clouds.ts';
import type { CredentialPlan } from './credentials.ts';

export interface AzureClients {
  subscriptionId: string;
  /** Of the Resource Manager, without a slash at its end. */
  endpoint: string;
  compute: ComputeManagementClient;
  network: NetworkManagementClient;
  graph: ResourceGraphClient;
  /** For requests that no client has a method for; goes with the pipeline of `compute`. */
  http: HttpClient;
  newRequest: typeof createPipelineRequest;
}

export interface AccountAccess {
  cloud: Cloud;
  plan: CredentialPlan;
}

export interface ClientSource {
  of(access: AccountAccess): Promise<AzureClients>;
  /** Azure refuses the token that these clients hold: the next call gets new ones. */
  renew(access: AccountAccess): void;
}

/** One call had no answer within its time. */
export class CallTimeLimit extends Error {
  override readonly name = 'CallTimeLimit';
}

/** The credentials give no token; why is its cause. */
export class TokenFailure extends Error {
  override readonly name = 'TokenFailure';
}

/** `callSeconds`: limit of one HTTP request, and of the token that it needs. */
export function createClientSource({ callSeconds }: { callSeconds: number }): ClientSource {
  const cache = new ClientCache<AzureClients>();
  const renewals = new Map<string, number>();
  return {
    async of(access) {
      const sdks = await loadSdks();
      const digest = digestOf(access);
      const parts = [digest, String(renewals.get(digest) ?? 0)];
      return cache.get(parts, () => makeClients(sdks, { ...access, callSeconds }));
    },
    renew(access) {
      const digest = digestOf(access);
      renewals.set(digest, (renewals.get(digest) ?? 0) + 1);
    },
  };
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

function makeClients(sdks: Sdks, access: AccountAccess & { callSeconds: number }): AzureClients {
  const { cloud, plan, callSeconds } = access;
  const { subscriptionId } = plan;
  const shared = sharedOptions(cloud);
  const credential = tellingFailures(
    credentialOf(sdks, plan, { ...shared, ...authorityOf(cloud) }),
  );
  const options = {
    ...shared,
    endpoint: cloud.endpoint,
    credentials: { scopes: [cloud.scope] },
    additionalPolicies: [{ policy: timeLimit(callSeconds), position: 'perCall' as const }],
  };
  return {
    subscriptionId,
    endpoint: cloud.endpoint,
    compute: new sdks.compute.ComputeManagementClient(credential, subscriptionId, options),
    network: new sdks.network.NetworkManagementClient(credential, subscriptionId, options),
    graph: new sdks.graph.ResourceGraphClient(credential, options),
    http: sdks.pipeline.createDefaultHttpClient(),
    newRequest: sdks.pipeline.createPipelineRequest,
  };
}

/** One call of an SDK is one request: who calls the driver tries again. */
function sharedOptions({ caFile }: Cloud) {
  return {
    retryOptions: { maxRetries: 0 },
    ...(caFile !== undefined && { tlsOptions: { ca: readFileSync(caFile, 'utf8') } }),
  };
}

function authorityOf({ authority, isPrivate }: Cloud) {
  return { authorityHost: authority, disableInstanceDiscovery: isPrivate };
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

function tellingFailures(credential: TokenCredential): TokenCredential {
  return {
    async getToken(scopes, options) {
      try {
        return await credential.getToken(scopes, options);
      } catch (cause) {
        throw new TokenFailure('no token', { cause });
      }
    },
  };
}

function timeLimit(callSeconds: number): PipelinePolicy {
  return {
    name: 'millwrightTimeLimit',
    async sendRequest(request, next) {
      const limit = AbortSignal.timeout(callSeconds * 1_000);
      const asked = request.abortSignal instanceof AbortSignal ? request.abortSignal : undefined;
      request.abortSignal = asked ? AbortSignal.any([asked, limit]) : limit;
      try {
        return await next(request);
      } catch (error) {
        if (!limit.aborted || asked?.aborted) throw error;
        const message = `no answer within ${callSeconds} s`;
        throw new CallTimeLimit(message, { cause: error });
      }
    },
  };
}
