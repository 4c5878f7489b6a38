/**
 * A cluster that hosts machines: a real API server of its own, with KubeVirt's CRDs and without its
 * controllers.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { preparedBinary } from '../../../deploy/local/binaries/acquire.ts';
import { CertificateAuthority } from '../../../deploy/local/cluster/certificates.ts';
import { host, localPorts } from '../../../deploy/local/supervision/ports.ts';
import type { KubeClient, KubeObject } from '../../../kube/client/client.ts';
import { createKubeClient } from '../../../kube/client/http-client.ts';
import { eventually } from '../../support/eventually.ts';
import { crdsFile } from './generate-crds.ts';

export interface HostCluster extends AsyncDisposable {
  url: string;
  /** PEM of its certificate authority. */
  ca: string;
  /** Of its administrator. */
  token: string;
  /** Of somebody without any right. */
  powerlessToken: string;
  namespace: string;
  client: KubeClient;
}

const token = 'canary-of-the-administrators-token';
const powerlessToken = 'canary-of-a-powerless-token';
const namespace = 'shoots';

export async function startHostCluster(): Promise<HostCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'millwright-host-cluster-'));
  const processes: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(processes.toReversed().map(ended));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const [etcd, apiserver] = await Promise.all([
      preparedBinary('etcd'),
      preparedBinary('kube-apiserver'),
    ]);
    const run = (file: string, args: readonly string[]): void =>
      void processes.push(spawn(file, args, { stdio: 'ignore', cwd: folder }));
    const etcdUrl = `http://${host}:${await localPorts.anyFree()}`;
    run(etcd, etcdArgs(folder, etcdUrl, `http://${host}:${await localPorts.anyFree()}`));
    const port = await localPorts.anyFree();
    const authority = await writeCertificates(folder);
    run(apiserver, apiserverArgs(folder, etcdUrl, port));
    const url = `https://${host}:${port}`;
    const client = clientFor(url, authority.certificate);
    await untilServed(client, processes);
    await install(client);
    return {
      url,
      ca: authority.certificate,
      token,
      powerlessToken,
      namespace,
      client,
      async [Symbol.asyncDispose]() {
        await client.close();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function etcdArgs(folder: string, client: string, peer: string): string[] {
  return [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--unsafe-no-fsync',
    '--log-level=warn',
  ];
}

async function writeCertificates(folder: string): Promise<CertificateAuthority> {
  const pki = join(folder, 'pki');
  const authority = await CertificateAuthority.loadOrCreate(pki);
  const { certificate, key } = await authority.issue({ name: 'kube-apiserver', hosts: [host] });
  writeFileSync(join(pki, 'apiserver.crt'), certificate);
  writeFileSync(join(pki, 'apiserver.key'), key, { mode: 0o600 });
  const tokens = [`${token},admin,admin,"system:masters"`, `${powerlessToken},nobody,nobody`];
  writeFileSync(join(folder, 'tokens.csv'), `${tokens.join('\n')}\n`, { mode: 0o600 });
  return authority;
}

function apiserverArgs(folder: string, etcdUrl: string, port: number): string[] {
  const pki = (name: string): string => join(folder, 'pki', name);
  return [
    `--etcd-servers=${etcdUrl}`,
    `--bind-address=${host}`,
    `--advertise-address=${host}`,
    `--secure-port=${port}`,
    `--tls-cert-file=${pki('apiserver.crt')}`,
    `--tls-private-key-file=${pki('apiserver.key')}`,
    `--client-ca-file=${pki('ca.crt')}`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${pki('sa.pub')}`,
    `--service-account-signing-key-file=${pki('sa.key')}`,
    '--authorization-mode=RBAC',
    '--disable-admission-plugins=ServiceAccount',
    '--service-cluster-ip-range=10.97.0.0/16',
    '--endpoint-reconciler-type=none',
  ];
}

function clientFor(server: string, ca: string): KubeClient {
  const caData = Buffer.from(ca).toString('base64');
  const cluster = { name: 'host', server, caData, skipTLSVerify: false };
  const user = { name: 'admin', token };
  const kubeConfig = { cluster, user, namespace: undefined, source: 'the host cluster' };
  return createKubeClient({ kubeConfig, userAgent: 'test', callTimeoutMs: 60_000 });
}

async function untilServed(client: KubeClient, processes: readonly ChildProcess[]): Promise<void> {
  const end = await eventually('the API server answers', async () => {
    if (processes.some(({ exitCode }) => exitCode !== null)) return 'ended';
    await client.get('/api/v1/namespaces/default');
    return 'served';
  });
  if (end === 'ended') throw new Error('etcd or the API server has ended');
}

const crdPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Crd extends KubeObject {
  status?: { conditions?: { type: string; status: string; message?: string }[] };
}

async function install(client: KubeClient): Promise<void> {
  const crds: KubeObject[] = JSON.parse(gunzipSync(readFileSync(crdsFile)).toString());
  for (const crd of crds) await client.create(crdPath, crd);
  await client.create('/api/v1/namespaces', { metadata: { name: namespace } });
  for (const { metadata } of crds) await untilEstablished(client, metadata.name);
}

async function untilEstablished(client: KubeClient, name: string): Promise<void> {
  const conditions = await eventually(`${name} is served or refused`, async () => {
    const { status } = await client.get<Crd>(`${crdPath}/${name}`);
    const found = (status?.conditions ?? []).filter(({ status: is }) => is === 'True');
    expect(found.map(({ type }) => type)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^(Established|NonStructuralSchema)$/)]),
    );
    return found;
  });
  const fault = conditions.find(({ type }) => type === 'NonStructuralSchema');
  if (fault) throw new Error(`${name}: ${fault.message}`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const end = Promise.withResolvers<void>();
  child.once('exit', () => end.resolve());
  child.kill('SIGKILL');
  await end.promise;
}
