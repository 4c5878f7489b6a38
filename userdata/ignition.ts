/** A document as user data of Ignition, by version 3.3.0 of its specification. */
import type { MachineDocument, MachineFile, MachineUnit } from './machine-document.ts';

/** The user of Flatcar's images. */
const imageUser = 'core';

export function ignition(document: MachineDocument): string {
  const { hostname, files, units, ssh, ntpServers } = document;
  const all = [
    ...(hostname === undefined ? [] : [textFile('/etc/hostname', `${hostname}\n`)]),
    ...(ntpServers
      ? [
          textFile(
            '/etc/systemd/timesyncd.conf.d/millwright.conf',
            `[Time]\nNTP=${ntpServers.join(' ')}\n`,
          ),
        ]
      : []),
    ...files,
  ];
  const config = {
    ignition: { version: '3.3.0' },
    ...(ssh && { passwd: { users: [userOf(ssh)] } }),
    storage: { files: all.map(fileOf) },
    systemd: { units: units.map(unitOf) },
  };
  return `${JSON.stringify(config)}\n`;
}

function textFile(path: string, content: string): MachineFile {
  return { path, permissions: '0644', content };
}

function userOf({ user = imageUser, authorizedKeys }: NonNullable<MachineDocument['ssh']>) {
  return {
    name: user,
    sshAuthorizedKeys: authorizedKeys,
    ...(user !== imageUser && { groups: ['sudo'], shell: '/bin/bash' }),
  };
}

function fileOf({ path, permissions, content }: MachineFile) {
  return {
    path,
    mode: Number.parseInt(permissions, 8),
    overwrite: true,
    contents: { source: `data:,${encodeURIComponent(content)}` },
  };
}

/** Units that setup enables say nothing of it: `enabled: false` would be a rule against it. */
function unitOf({ name, content, isEnabled, isMasked, dropIns = [] }: MachineUnit) {
  return {
    name,
    ...(isEnabled && { enabled: true }),
    ...(isMasked && { mask: true }),
    ...(content !== undefined && { contents: content }),
    ...(dropIns.length > 0 && {
      dropins: dropIns.map((dropIn) => ({ name: dropIn.name, contents: dropIn.content })),
    }),
  };
}
