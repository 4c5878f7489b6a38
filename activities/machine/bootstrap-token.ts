/**
 * Bootstrap tokens: Secrets in `kube-system` of the target cluster with which a kubelet joins.
 *
 * MCM v0.62.1 derives the id from three characters of the machine's name, so that machines share
 * tokens and one that joins takes the token of another away. Here the id comes from the Machine's
 * UID, and an id that is taken by another machine is passed over.
 */
import { createHash } from 'node:crypto';
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isAlreadyExists, isNotFound } from '../../kube/client/errors.ts';
import { namespaced } from '../../kube/client/paths.ts';
import { nowMs, secretInt } from '../system/system.ts';

const namespace = 'kube-system';
const characters = '0123456789abcdefghijklmnopqrstuvwxyz';
const ownerAnnotation = 'millwright.dev/machine-uid';
/** 36^6 ids: that one machine meets a taken id this often does not happen. */
const candidatesMax = 8;

interface TokenSecret {
  metadata: {
    uid: string;
    resourceVersion: string;
    creationTimestamp: string;
    annotations?: Record<string, string>;
  };
  data?: Record<string, string>;
}

export interface TokenRequest {
  machine: ObjectReference;
  lifetimeSeconds: number;
  authExtraGroups: string;
}

/** Makes the machine's token, or finds the one that it has. Returns its id, which is no secret. */
export async function ensureBootstrapToken(
  target: KubeClient,
  request: TokenRequest,
): Promise<string> {
  for (let attempt = 0; attempt < candidatesMax; attempt += 1) {
    const id = tokenIdOf(request.machine.uid, attempt);
    if (await makeOrOwn(target, id, request)) return id;
  }
  throw new Error(`no free bootstrap token id for Machine ${request.machine.name}`);
}

export interface BootstrapToken {
  /** The whole token, `<id>.<secret>`. */
  text: string;
  /** Less than a quarter of its time is left: too late for an instance that has yet to boot. */
  endsSoon: boolean;
}

export async function readBootstrapToken(target: KubeClient, id: string): Promise<BootstrapToken> {
  const { metadata, data } = await target.get<TokenSecret>(pathOf(id));
  const end = Date.parse(decoded(data?.['expiration']));
  const lifetimeMs = end - Date.parse(metadata.creationTimestamp);
  const text = `${id}.${decoded(data?.['token-secret'])}`;
  return { text, endsSoon: end - nowMs() < lifetimeMs / 4 };
}

export async function deleteBootstrapToken(
  target: KubeClient,
  id: string,
  machine: ObjectReference,
): Promise<void> {
  try {
    const secret = await target.get<TokenSecret>(pathOf(id));
    if (ownerOf(secret) === machine.uid) await target.delete(pathOf(id));
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Six characters of `0-9a-z`, as kubeadm's tokens have them. */
export function tokenIdOf(uid: string, attempt: number): string {
  const digest = createHash('sha256').update(`${uid}/${attempt}`).digest();
  return [...digest.subarray(0, 6)].map((byte) => characters[byte % characters.length]).join('');
}

async function makeOrOwn(target: KubeClient, id: string, request: TokenRequest): Promise<boolean> {
  try {
    await target.create(namespaced('secrets', namespace), secretOf(id, request));
    return true;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const existing = await target.get<TokenSecret>(pathOf(id));
  if (ownerOf(existing) !== request.machine.uid) return false;
  // A machine that is created anew after a long failure must not boot with an expired token.
  if (!isFresh(existing, request.lifetimeSeconds)) await renew(target, existing, request);
  return true;
}

/** Attempts of a create that follow each other within minutes leave it alone. */
function isFresh({ data }: TokenSecret, lifetimeSeconds: number): boolean {
  const leftMs = Date.parse(decoded(data?.['expiration'])) - nowMs();
  return leftMs > lifetimeSeconds * 1_000 * 0.9;
}

/**
 * MCM's role in the target cluster can make and delete tokens, and change none. The secret part
 * stays: the answer to an earlier create may have been lost, and its instance boots with that.
 */
async function renew(
  target: KubeClient,
  { metadata, data }: TokenSecret,
  request: TokenRequest,
): Promise<void> {
  const id = decoded(data?.['token-id']);
  const { uid, resourceVersion } = metadata;
  await target.delete(pathOf(id), { preconditions: { uid, resourceVersion } });
  const secret = decoded(data?.['token-secret']);
  await target.create(namespaced('secrets', namespace), secretOf(id, request, secret));
}

const decoded = (text = ''): string => Buffer.from(text, 'base64').toString('utf8');

function secretOf(id: string, request: TokenRequest, secret = randomText(16)): object {
  const { machine, lifetimeSeconds, authExtraGroups } = request;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'bootstrap.kubernetes.io/token',
    metadata: {
      name: `bootstrap-token-${id}`,
      namespace,
      annotations: { [ownerAnnotation]: machine.uid },
    },
    stringData: {
      description: `A bootstrap token for machine "${machine.name}" generated by MachineControllerManager.`,
      'token-id': id,
      'token-secret': secret,
      expiration: new Date(nowMs() + lifetimeSeconds * 1000).toISOString(),
      'usage-bootstrap-authentication': 'true',
      'usage-bootstrap-signing': 'true',
      'auth-extra-groups': authExtraGroups,
    },
  };
}

function ownerOf({ metadata }: TokenSecret): string | undefined {
  return metadata.annotations?.[ownerAnnotation];
}

function randomText(length: number): string {
  return Array.from({ length }, () => characters[secretInt(characters.length)]).join('');
}

const pathOf = (id: string): string => namespaced('secrets', namespace, `bootstrap-token-${id}`);
