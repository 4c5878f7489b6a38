/** containerd: its configuration and its unit. */
import type { MachineFile, MachineUnit } from './machine-document.ts';
import { programsFolder, versionOf } from './programs.ts';
import { commandWord, environmentWord, tomlText } from './quoting.ts';
import { certificatesFolder } from './registries.ts';
import type { UserDataInput } from './input.ts';

const configPath = '/etc/containerd/config.toml';

export function containerdFiles(input: UserDataInput): MachineFile[] {
  const files = {
    [configPath]: configuration(input),
    '/etc/crictl.yaml': 'runtime-endpoint: unix:///run/containerd/containerd.sock\n',
  };
  return Object.entries(files).map(([path, content]) => ({ path, permissions: '0644', content }));
}

/** containerd 2 reads both versions, 1 only the second. */
function configuration(input: UserDataInput): string {
  const isSecond = input.profile.containerd === 'system' || isBefore2(input);
  const { sandboxImage } = input.config.containerRuntime ?? {};
  const images = isSecond ? 'io.containerd.grpc.v1.cri' : 'io.containerd.cri.v1.images';
  const runtime = isSecond ? 'io.containerd.grpc.v1.cri' : 'io.containerd.cri.v1.runtime';
  const lines = [
    `version = ${isSecond ? 2 : 3}`,
    ...(sandboxImage === undefined
      ? []
      : [
          `[plugins."${images}"${isSecond ? '' : '.pinned_images'}]`,
          `${isSecond ? 'sandbox_image' : 'sandbox'} = ${tomlText(sandboxImage)}`,
        ]),
    `[plugins."${images}".registry]`,
    `config_path = "${certificatesFolder}"`,
    ...(input.profile.seLinux === 'enforcing'
      ? [`[plugins."${runtime}"]`, 'enable_selinux = true']
      : []),
    `[plugins."${runtime}".containerd.runtimes.runc]`,
    'runtime_type = "io.containerd.runc.v2"',
    `[plugins."${runtime}".containerd.runtimes.runc.options]`,
    'SystemdCgroup = true',
  ];
  return `${lines.join('\n')}\n`;
}

function isBefore2(input: UserDataInput): boolean {
  return versionOf('containerd', input)?.startsWith('1.') === true;
}

/** Enabled by setup, once there is a containerd. */
export function containerdUnit({ profile }: UserDataInput): MachineUnit {
  const name = 'containerd.service';
  if (profile.containerd === 'system') {
    // Flatcar's unit reads another file otherwise.
    const content = `[Service]\nEnvironment=CONTAINERD_CONFIG=${configPath}\n`;
    return { name, isEnabled: false, dropIns: [{ name: 'millwright.conf', content }] };
  }
  const folder = programsFolder(profile);
  const folders = new Set([folder, '/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin']);
  const content = `[Unit]
Description=containerd
After=network.target local-fs.target
[Service]
Type=notify
Environment=${environmentWord(`PATH=${[...folders].join(':')}`)}
ExecStart=${commandWord(`${folder}/containerd`)}
Delegate=yes
KillMode=process
Restart=always
RestartSec=5
LimitNPROC=infinity
LimitCORE=infinity
TasksMax=infinity
OOMScoreAdjust=-999
[Install]
WantedBy=multi-user.target
`;
  return { name, content, isEnabled: false };
}
