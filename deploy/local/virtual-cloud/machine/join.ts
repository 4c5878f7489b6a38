/**
 * A machine joins as any kubelet does, by TLS bootstrap: the token and the CA in its user data are
 * all that it has. What fails is tried again for as long as the machine runs, as systemd starts a
 * kubelet again; each step can be done twice.
 */
import type { KubeClient, KubeObject } from '../../../../kube/client/client.ts';
import { isAlreadyExists } from '../../../../kube/client/errors.ts';
import { createKubeClient } from '../../../../kube/client/http-client.ts';
import type { KubeConfig } from '../../../../kube/client/kubeconfig.ts';
import { node as nodePath } from '../../../../kube/client/paths.ts';
import type { Node } from '../../../../kube/objects/nodes.ts';
import { messageOf } from '../../failure.ts';
import type { Instance } from '../instance.ts';
import { backOff } from '../kube-client.ts';
import { nodeOf } from '../node-object.ts';
import type { RegistrationWatch } from '../nodes.ts';
import { certificateRequest, newKey } from './certificate-request.ts';
import type { Disks } from './disks.ts';
import { filesIn } from './files.ts';
import { kubeletIn, type Kubelet } from './kubelet.ts';

const requestsPath = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

/** Returns the UID of its Node. */
export async function joinByUserData(
  disks: Disks,
  instance: Instance,
  { signal, onRefused }: RegistrationWatch,
): Promise<string> {
  let refused = '';
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      return await join({ disks, instance, signal });
    } catch (error) {
      signal.throwIfAborted();
      if (messageOf(error) !== refused) onRefused(messageOf(error));
      refused = messageOf(error);
    }
    await backOff(attempt, signal);
  }
}

interface Joining {
  disks: Disks;
  instance: Instance;
  signal: AbortSignal;
}

async function join(joining: Joining): Promise<string> {
  const { disks, instance } = joining;
  const kubelet = await step('the user data cannot be used', async () => {
    const userData = disks.read(instance.id, 'user-data');
    if (userData === undefined) throw new Error('they are lost');
    return kubeletIn(filesIn(Buffer.from(userData, 'base64')));
  });
  const key = keyOf(joining);
  const certificate = await certificateOf(joining, kubelet, key);
  return await withClient(asNode(kubelet.bootstrap, { certificate, key }), async (client) => {
    const uid = await step('the Node cannot be registered', () =>
      register(client, instance, kubelet),
    );
    if (kubelet.asksForServing) {
      await step('the serving certificate cannot be requested', () =>
        askForServing(client, instance, key),
      );
    }
    return uid;
  });
}

/** What failed, for the console and the journal: messages of the API server hold no secrets. */
async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Error(`${what}: ${messageOf(cause)}`, { cause });
  }
}

function keyOf({ disks, instance: { id } }: Joining): string {
  const kept = disks.read(id, 'kubelet-client.key');
  if (kept !== undefined) return kept;
  const key = newKey();
  disks.write(id, 'kubelet-client.key', key);
  return key;
}

/** Kept: once the Node is there, the token is gone. */
async function certificateOf(joining: Joining, kubelet: Kubelet, key: string): Promise<string> {
  const { disks, instance, signal } = joining;
  const kept = disks.read(instance.id, 'kubelet-client.crt');
  if (kept !== undefined) return kept;
  const certificate = await withClient(kubelet.bootstrap, async (client) => {
    const nodeName = instance.name;
    const request = await certificateRequest({ kind: 'client', nodeName, key });
    await step('the bootstrap token gets no client certificate', () => ask(client, request));
    return await step('there is no client certificate', () =>
      issued(client, request.metadata.name, signal),
    );
  });
  disks.write(instance.id, 'kubelet-client.crt', certificate);
  return certificate;
}

async function ask(client: KubeClient, request: object): Promise<void> {
  try {
    await client.create(requestsPath, request);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

interface SigningRequest extends KubeObject {
  status?: { certificate?: string; conditions?: { type: string; message?: string }[] };
}

/** Waits for an approval for as long as the machine runs. PEM. */
async function issued(client: KubeClient, name: string, signal: AbortSignal): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const { status } = await client.get<SigningRequest>(`${requestsPath}/${name}`);
    if (status?.certificate !== undefined) {
      return Buffer.from(status.certificate, 'base64').toString('utf8');
    }
    const end = status?.conditions?.find(({ type }) => type === 'Denied' || type === 'Failed');
    if (end) throw new Error(`CSR ${name} is ${end.type}: ${end.message ?? ''}`);
    await backOff(attempt, signal);
  }
}

/** The cloud says to its machine what it is; labels and taints are those of the kubelet. */
async function register(
  client: KubeClient,
  instance: Instance,
  { labels, taints }: Kubelet,
): Promise<string> {
  try {
    const node = nodeOf({ ...instance, labels, annotations: {}, taints });
    return (await client.create<Node>(nodePath(), node)).metadata.uid;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { metadata, spec } = await client.get<Node>(nodePath(instance.name));
    if (spec?.providerID === instance.providerID) return metadata.uid;
    throw error;
  }
}

/** Nothing waits for it, as nothing asks this kubelet for logs. */
async function askForServing(client: KubeClient, instance: Instance, key: string): Promise<void> {
  const { name: nodeName, address } = instance;
  await ask(client, await certificateRequest({ kind: 'serving', nodeName, key, address }));
}

function asNode(
  { cluster, namespace, source }: KubeConfig,
  { certificate, key }: { certificate: string; key: string },
): KubeConfig {
  const [certData = '', keyData = ''] = [certificate, key].map((pem) =>
    Buffer.from(pem).toString('base64'),
  );
  const user = { name: 'kubelet', certData, keyData };
  return { cluster, namespace, source, user };
}

async function withClient<T>(
  kubeConfig: KubeConfig,
  use: (client: KubeClient) => Promise<T>,
): Promise<T> {
  const client = createKubeClient({
    kubeConfig,
    userAgent: 'kubelet',
    fieldManager: 'kubelet',
    connections: 1,
    // The whole join is tried again.
    retryForMs: 0,
  });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}
