/** A document as user data of cloud-init, from 19.3, which Amazon Linux 2 has. */
import type { MachineDocument, MachineFile } from './machine-document.ts';
import { yamlText } from './quoting.ts';

const unitFolder = '/etc/systemd/system';

export function cloudInit(document: MachineDocument): string {
  const { hostname, files, units, ssh, ntpServers } = document;
  const config = {
    ...(hostname !== undefined && { preserve_hostname: false, hostname }),
    ...(ssh && usersOf(ssh)),
    ...(ntpServers && { ntp: { enabled: true, servers: ntpServers } }),
    write_files: [...files, ...unitFiles(units)],
    runcmd: commandsOf(units),
  };
  return `#cloud-config\n${yamlText(config)}`;
}

function usersOf({ user, authorizedKeys }: NonNullable<MachineDocument['ssh']>) {
  if (user === undefined) return { ssh_authorized_keys: authorizedKeys };
  const person = {
    name: user,
    shell: '/bin/bash',
    sudo: 'ALL=(ALL) NOPASSWD:ALL',
    ssh_authorized_keys: authorizedKeys,
  };
  return { users: ['default', person] };
}

function unitFiles(units: MachineDocument['units']): MachineFile[] {
  return units.flatMap(({ name, content, dropIns = [] }) => [
    ...(content === undefined
      ? []
      : [{ path: `${unitFolder}/${name}`, permissions: '0644', content }]),
    ...dropIns.map((dropIn) => ({
      path: `${unitFolder}/${name}.d/${dropIn.name}`,
      permissions: '0644',
      content: dropIn.content,
    })),
  ]);
}

/** Nothing waits for a unit: it may wait for cloud-init. */
function commandsOf(units: MachineDocument['units']): string[][] {
  const enabled = units.filter(({ isEnabled }) => isEnabled).map(({ name }) => name);
  const masked = units.filter(({ isMasked }) => isMasked).map(({ name }) => name);
  return [
    ['systemctl', 'daemon-reload'],
    ...(masked.length > 0 ? [['systemctl', 'mask', ...masked]] : []),
    ['systemctl', 'enable', ...enabled],
    ['systemctl', 'start', '--no-block', ...enabled],
  ];
}
