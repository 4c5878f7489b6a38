/** The kubelet of a machine's files, as far as it matters for the join. */
import { kubeConfigOfSecret, type KubeConfig } from '../../../../kube/client/kubeconfig.ts';
import { isRecord } from '../../../../workflows/values/is-record.ts';
import { Fields } from '../fields.ts';
import { parseTaint, type NodeTaint } from '../instance.ts';
import { parsedYaml, type MachineFiles } from './files.ts';

export interface Kubelet {
  /** With the bootstrap token. */
  bootstrap: KubeConfig;
  /** That it registers with. */
  labels: Record<string, string>;
  taints: NodeTaint[];
  /** It asks for its serving certificate by CSR. */
  asksForServing: boolean;
}

const unitPath = '/etc/systemd/system/kubelet.service';

/** Errors name the file that is missing or wrong, and quote nothing of it. */
export function kubeletIn(files: MachineFiles): Kubelet {
  const flags = flagsIn(fileIn(files, unitPath));
  const configPath = flags.get('--config');
  const config = configPath === undefined ? {} : parsedYaml(fileIn(files, configPath), configPath);
  return {
    bootstrap: bootstrapConfigIn(files, flags.get('--bootstrap-kubeconfig')),
    labels: Object.fromEntries(pairsOf(flags.get('--node-labels'))),
    taints: new Fields(config).list('registerWithTaints').map(parseTaint),
    asksForServing: config['serverTLSBootstrap'] === true,
  };
}

function fileIn(files: MachineFiles, path: string): string {
  const content = files.get(path);
  if (content === undefined) throw new Error(`they have no file ${path}`);
  return content;
}

/** Of `ExecStart=`, with its lines joined and what systemd escapes undone. */
function flagsIn(unit: string): Map<string, string> {
  const [, command = ''] = /^ExecStart=(.*)$/m.exec(unit.replaceAll(/\\\n\s*/g, ' ')) ?? [];
  const words = command.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? [];
  return new Map(
    words.map((word) => {
      const plain = word.replaceAll(/^"|"$/g, '').replaceAll(/\\(.)/g, '$1');
      const [flag = '', ...value] = plain.split('=');
      return [flag, value.join('=').replaceAll('%%', '%').replaceAll('$$', '$')];
    }),
  );
}

function pairsOf(labels = ''): [string, string][] {
  const pairs = labels.split(',').filter((pair) => pair !== '');
  return pairs.map((pair) => {
    const [key = '', value = ''] = pair.split('=');
    return [key, value];
  });
}

/** The CA that it names by path is a file of the machine: no other is trusted. */
function bootstrapConfigIn(files: MachineFiles, path: string | undefined): KubeConfig {
  if (path === undefined) throw new Error(`${unitPath} has no flag --bootstrap-kubeconfig`);
  const { clusters, ...rest } = parsedYaml(fileIn(files, path), path);
  const entries = Array.isArray(clusters) ? clusters.filter(isRecord) : [];
  const text = JSON.stringify({
    ...rest,
    clusters: entries.map((entry) => ({ ...entry, cluster: withAuthority(files, entry) })),
  });
  const config = kubeConfigOfSecret({ text, source: path });
  if (config.cluster.caData && !config.cluster.skipTLSVerify) return config;
  throw new Error(`${path} does not say by which CA the API server is known`);
}

function withAuthority(files: MachineFiles, { cluster }: Record<string, unknown>): object {
  const { 'certificate-authority': file, ...rest } = Object(cluster);
  if (file === undefined) return rest;
  const data = Buffer.from(fileIn(files, String(file))).toString('base64');
  return { ...rest, 'certificate-authority-data': data };
}
