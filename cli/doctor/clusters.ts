/** Both API servers: whether they answer, their clocks, and their certificates. */
import { createTransport } from '../../kube/client/transport.ts';
import { loadKubeConfig } from '../../kube/client/kubeconfig.ts';
import type { KubeConfig } from '../../kube/client/kubeconfig.ts';
import { version } from '../../workers/config/version.ts';
import { isRecord } from '../../workflows/values/is-record.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import { certificateResult, endOfServerCertificate, endsIn } from './certificates.ts';
import type { ClusterOptions } from '../command-line/options.ts';
import type { TargetOptions } from '../connection/target.ts';
import type { Check, DoctorResult } from './check.ts';
import { error, limitMs, ok, skipped, warning } from './check.ts';

interface Cluster {
  name: 'control cluster' | 'target cluster';
  kubeConfig: KubeConfig;
}

export function clusterChecks(options: ClusterOptions & TargetOptions): Check[] {
  return clustersOf(options).flatMap((cluster) => [
    { name: cluster.name, run: () => answers(cluster) },
    { name: `${cluster.name} certificate`, run: () => certificates(cluster) },
  ]);
}

function clustersOf({
  kubeconfig = '',
  context,
  targetKubeconfig,
}: ClusterOptions & TargetOptions): Cluster[] {
  const control = loadKubeConfig(kubeconfig, process.env, context);
  if (targetKubeconfig === undefined) return [{ name: 'control cluster', kubeConfig: control }];
  const target = loadKubeConfig(targetKubeconfig);
  return [
    { name: 'control cluster', kubeConfig: control },
    { name: 'target cluster', kubeConfig: target },
  ];
}

async function answers({ name, kubeConfig }: Cluster): Promise<DoctorResult[]> {
  const { server } = kubeConfig.cluster;
  const transport = createTransport({ kubeConfig, userAgent: `millwright-cli/${version}` });
  try {
    const sentAt = Date.now();
    const { statusCode, headers, body } = await transport.send({
      method: 'GET',
      path: '/version',
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(limitMs / 2),
      pool: 'calls',
    });
    const text = await body.text();
    if (statusCode !== 200)
      return [unreached(name, server, `${statusCode}: ${text.slice(0, 200)}`)];
    const said: unknown = JSON.parse(text);
    return [
      ok(name, `${versionIn(said)} at ${server}`),
      clockResult(name, { date: headers['date'], sentAt, gotAt: Date.now() }),
    ];
  } catch (reason) {
    return [unreached(name, server, reasonOf(reason))];
  } finally {
    await transport.close();
  }
}

function versionIn(said: unknown): string {
  const found = isRecord(said) ? said['gitVersion'] : undefined;
  return typeof found === 'string' ? found : 'of an unknown version';
}

function unreached(name: Cluster['name'], server: string, why: string): DoctorResult {
  const flag = name === 'control cluster' ? '--kubeconfig, --context' : '--target-kubeconfig';
  const repair = `name another with ${flag}, or see why: kubectl get --raw /readyz?verbose`;
  return error(name, `${server} does not answer: ${why}`, repair);
}

/** A term of a watcher is counted in ten minutes; below this nothing depends on a clock. */
const allowedMs = 5_000;

interface ServerTimes {
  date: string | string[] | undefined;
  sentAt: number;
  gotAt: number;
}

/** The header has whole seconds, and was written between the two times. */
export function clockResult(name: string, { date, sentAt, gotAt }: ServerTimes): DoctorResult {
  const check = `clock of the ${name}`;
  const at = Date.parse(String(date ?? ''));
  if (Number.isNaN(at)) return skipped(check, 'its answer has no Date');
  const ahead = at > gotAt ? at - gotAt : Math.min(at + 1_000 - sentAt, 0);
  const seconds = Math.round(ahead / 1_000);
  if (Math.abs(ahead) <= allowedMs) return ok(check, `within ${allowedMs / 1_000} s of this one`);
  const message = seconds > 0 ? `${seconds} s ahead of` : `${-seconds} s behind`;
  return warning(check, `${message} this one`, 'set the clocks by NTP: timedatectl status');
}

async function certificates({ name, kubeConfig }: Cluster): Promise<DoctorResult[]> {
  const { server } = kubeConfig.cluster;
  const { hostname, port, protocol } = new URL(server);
  const check = `${name} certificate`;
  if (protocol !== 'https:') return [ok(check, `${server} has none`)];
  const end = await endOfServerCertificate({ host: hostname, port: Number(port || 443) });
  const own = endsIn(kubeConfig.user.certData);
  return [
    certificateResult(check, { whose: `of ${hostname}`, end }),
    ...(own === undefined
      ? []
      : [certificateResult(`${name} login`, { whose: 'of this kubeconfig', end: own })]),
  ];
}
