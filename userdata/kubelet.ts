/** The kubelet: its configuration and its unit. */
import { bootstrapKubeconfigPath, authorityPath } from './join.ts';
import { kubeletSettings } from './kubelet-settings.ts';
import type { MachineFile, MachineUnit } from './machine-document.ts';
import { providerRule } from './providers.ts';
import { commandWord, yamlText } from './quoting.ts';
import { programsFolder } from './programs.ts';
import type { MachineValues, UserDataInput } from './input.ts';

const configPath = '/etc/kubernetes/kubelet.yaml';
/** Written by setup: what only the machine can find out. */
export const askedPath = '/etc/kubernetes/asked';
/** Made by the kubelet. */
export const clientCertificatePath = '/var/lib/kubelet/pki/kubelet-client-current.pem';

export function nodeNameRule({ config, provider }: UserDataInput): 'machine' | 'hostname' {
  return config.node?.name ?? providerRule(provider).nodeName;
}

export function kubeletFile({ profile, config }: UserDataInput): MachineFile {
  const { kubernetes, kubelet, node } = config;
  const configuration = {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: authorityPath },
    },
    authorization: { mode: 'Webhook' },
    cgroupDriver: 'systemd',
    clusterDNS: kubernetes.clusterDNS,
    clusterDomain: kubernetes.clusterDomain ?? 'cluster.local',
    // From 1.35 on the default is true.
    ...(profile.cgroupVersion === 1 && { failCgroupV1: false }),
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    resolvConf: profile.resolvConf,
    rotateCertificates: true,
    serverTLSBootstrap: true,
    // The kubelet's own default lies below /usr, which some systems have read-only.
    volumePluginDir: '/var/lib/kubelet/volume-plugins',
    ...kubeletSettings(kubelet),
    ...(node?.taints && node.taints.length > 0 && { registerWithTaints: node.taints }),
  };
  return { path: configPath, permissions: '0644', content: yamlText(configuration) };
}

/** Enabled by setup, once there is a kubelet. */
export function kubeletUnit(input: UserDataInput, values: MachineValues): MachineUnit {
  const asked = askedOf(input);
  const words = [
    `${programsFolder(input.profile)}/kubelet`,
    `--config=${configPath}`,
    `--bootstrap-kubeconfig=${bootstrapKubeconfigPath}`,
    '--kubeconfig=/var/lib/kubelet/kubeconfig',
    ...flagsOf(input, values),
  ].map(commandWord);
  words.push(...asked.map(({ flag, variable }) => `${flag}=\${${variable}}`));
  const content = `[Unit]
Description=kubelet
Wants=containerd.service network-online.target
After=containerd.service network-online.target
[Service]
${asked.length > 0 ? `EnvironmentFile=${askedPath}\n` : ''}ExecStart=${words.join(' \\\n  ')}
Restart=always
RestartSec=5
[Install]
WantedBy=multi-user.target
`;
  return { name: 'kubelet.service', content, isEnabled: false };
}

function hasCloudController({ config, provider }: UserDataInput): boolean {
  return (config.node?.cloudProvider ?? providerRule(provider).cloudProvider) === 'external';
}

function flagsOf(input: UserDataInput, { machineName }: MachineValues): string[] {
  const { ip, labels = {} } = input.config.node ?? {};
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return [
    ...(nodeNameRule(input) === 'machine' ? [`--hostname-override=${machineName}`] : []),
    ...(hasCloudController(input) ? ['--cloud-provider=external'] : []),
    // An address of no interface stands for its family.
    ...(ip ? [`--node-ip=${ip === 'ipv6' ? '::' : '0.0.0.0'}`] : []),
    ...(pairs.length > 0 ? [`--node-labels=${pairs.join(',')}`] : []),
  ];
}

/** Flags of the kubelet whose values the machine asks its cloud for. */
interface AskedFlag {
  flag: string;
  variable: string;
  /** For people. */
  what: string;
  /** Sets `answer`. */
  bash: string;
}

export function askedOf(input: UserDataInput): AskedFlag[] {
  const { askName, askProviderID } = providerRule(input.provider);
  const asked: AskedFlag[] = [];
  if (askName !== undefined && nodeNameRule(input) === 'hostname') {
    const what = 'the name of the Node';
    asked.push({ flag: '--hostname-override', variable: 'NODE_NAME', what, bash: askName });
  }
  if (askProviderID !== undefined && !hasCloudController(input)) {
    const what = 'the providerID';
    asked.push({ flag: '--provider-id', variable: 'PROVIDER_ID', what, bash: askProviderID });
  }
  return asked;
}
