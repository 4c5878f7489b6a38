/** The kubelet: its configuration and its unit. */
import { bootstrapKubeconfigPath, authorityPath } from './join.ts';
import { kubeletSettings } from './kubelet-settings.ts';
import type { MachineFile, MachineUnit } from './machine-document.ts';
import { providerRule } from './providers.ts';
import { commandWord, yamlText } from './quoting.ts';
import { programsFolder } from './programs.ts';
import type { MachineValues, UserDataInput } from './input.ts';

const configPath = '/etc/kubernetes/kubelet.yaml';
/** Written by setup, where only the machine can find out its name. */
export const nodeNamePath = '/etc/kubernetes/node-name';
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
  const isAsked = askedName(input) !== undefined;
  const words = [
    `${programsFolder(input.profile)}/kubelet`,
    `--config=${configPath}`,
    `--bootstrap-kubeconfig=${bootstrapKubeconfigPath}`,
    '--kubeconfig=/var/lib/kubelet/kubeconfig',
    ...flagsOf(input, values),
  ].map(commandWord);
  if (isAsked) words.push('--hostname-override=${NODE_NAME}');
  const content = `[Unit]
Description=kubelet
Wants=containerd.service network-online.target
After=containerd.service network-online.target
[Service]
${isAsked ? `EnvironmentFile=${nodeNamePath}\n` : ''}ExecStart=${words.join(' \\\n  ')}
Restart=always
RestartSec=5
[Install]
WantedBy=multi-user.target
`;
  return { name: 'kubelet.service', content, isEnabled: false };
}

function flagsOf(input: UserDataInput, { machineName }: MachineValues): string[] {
  const { config, provider } = input;
  const {
    ip,
    labels = {},
    cloudProvider = providerRule(provider).cloudProvider,
  } = config.node ?? {};
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return [
    ...(nodeNameRule(input) === 'machine' ? [`--hostname-override=${machineName}`] : []),
    ...(cloudProvider === 'external' ? ['--cloud-provider=external'] : []),
    // An address of no interface stands for its family.
    ...(ip ? [`--node-ip=${ip === 'ipv6' ? '::' : '0.0.0.0'}`] : []),
    ...(pairs.length > 0 ? [`--node-labels=${pairs.join(',')}`] : []),
  ];
}

/** Bash that sets `name` to that of the Node. Undefined: Machine or host name say it. */
export function askedName(input: UserDataInput): string | undefined {
  return nodeNameRule(input) === 'hostname' ? providerRule(input.provider).askName : undefined;
}
