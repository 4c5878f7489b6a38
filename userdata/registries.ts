/** Image registries: mirrors and CAs for containerd, credentials for the kubelet. */
import type { MachineFile } from './machine-document.ts';
import { tomlText } from './quoting.ts';
import type { MachineValues, UserDataInput } from './input.ts';
import { secretText } from './secrets.ts';

export const certificatesFolder = '/etc/containerd/certs.d';

/** The hosts that this name of images stands for. */
const dockerHub = {
  host: 'docker.io',
  server: 'https://registry-1.docker.io',
  credentials: 'https://index.docker.io/v1/',
};

export function registryFiles({ config }: UserDataInput, values: MachineValues): MachineFile[] {
  const { registries = [] } = config;
  const files = registries.flatMap(({ host, mirrors = [], caBundle }) => {
    const folder = `${certificatesFolder}/${host}`;
    const ca = caBundle === undefined ? undefined : `${folder}/ca.crt`;
    return [
      ...(mirrors.length > 0 || ca !== undefined
        ? [
            {
              path: `${folder}/hosts.toml`,
              permissions: '0644',
              content: hostsOf(host, mirrors, ca),
            },
          ]
        : []),
      ...(ca !== undefined && caBundle !== undefined
        ? [{ path: ca, permissions: '0644', content: caBundle }]
        : []),
    ];
  });
  const credentials = registries.flatMap(({ host, credentialsSecret: name }) => {
    if (name === undefined) return [];
    const user = secretText(values, name, 'username');
    const password = secretText(values, name, 'password');
    const auth = Buffer.from(`${user}:${password}`).toString('base64');
    return [[host === dockerHub.host ? dockerHub.credentials : host, { auth }] as const];
  });
  if (credentials.length === 0) return files;
  const content = `${JSON.stringify({ auths: Object.fromEntries(credentials) })}\n`;
  return [...files, { path: '/var/lib/kubelet/config.json', permissions: '0600', content }];
}

function hostsOf(host: string, mirrors: readonly string[], ca: string | undefined): string {
  const server = host === dockerHub.host ? dockerHub.server : `https://${host}`;
  const authority = ca === undefined ? [] : [`ca = ${tomlText(ca)}`];
  const lines = [
    `server = ${tomlText(server)}`,
    ...authority,
    ...mirrors.flatMap((mirror) => [
      `[host.${tomlText(mirror)}]`,
      'capabilities = ["pull", "resolve"]',
      ...(mirror.startsWith('https:') ? authority : []),
      // containerd puts /v2 behind a path otherwise, which is wrong for a project of Harbor.
      ...(/\/v2(\/|$)/.test(mirror) ? ['override_path = true'] : []),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}
