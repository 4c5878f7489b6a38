/** How a guest gets its user data: as Gardener's driver gives it, or else by guestinfo. */
import type { CreateRequest } from '../driver.ts';
import { fault } from '../frame/fault.ts';
import { childrenOf, textOf, xml, type XmlElement } from '../frame/xml.ts';
import { base64UserData } from '../user-data-bytes.ts';
import type { VirtualMachine } from './machine.ts';
import type { VsphereProviderSpec } from './provider-spec.ts';

type Texts = Readonly<Record<string, string>>;
type Spec = Partial<VsphereProviderSpec>;

export interface GuestSettings {
  vApp?: XmlElement;
  extraConfig: Texts;
}

/** Guests that Gardener's driver gives Ignition to, and where that puts the user data. */
const ignitionPaths: Texts = {
  coreos64Guest: '/var/lib/coreos-install',
  other4xLinux64Guest: '/var/lib/flatcar-install',
};

export function guestSettings(
  machine: VirtualMachine,
  request: CreateRequest,
  spec: Spec,
): GuestSettings {
  const offered = childrenOf(machine.values['config.vAppConfig'], 'property').filter(
    (property) => textOf(property, 'userConfigurable') === 'true',
  );
  const ids = offered.map((property) => textOf(property, 'id'));
  const isOffered = (wanted: Texts): boolean => Object.keys(wanted).every((id) => ids.includes(id));
  if (spec.vapp) {
    const { properties } = spec.vapp;
    if (isOffered(properties)) return { vApp: vAppOf(offered, properties), extraConfig: {} };
    const message = `Invalid value: providerSpec.vapp.properties: ${Object.keys(properties).join(', ')} are not all properties of the template's vApp that can be set: ${ids.join(', ') || 'it has none'}`;
    throw fault('input', message);
  }
  const path = ignitionPaths[spec.guestId || (machine.values['config.guestId']?.text ?? '')];
  if (path !== undefined) {
    const key = 'guestinfo.ignition.config.data';
    const text = ignitionOf(request, spec, path);
    if (ids.includes(key)) return { vApp: vAppOf(offered, { [key]: text }), extraConfig: {} };
    return { extraConfig: inBase64(key, Buffer.from(text).toString('base64')) };
  }
  const { name } = request.machine;
  const userData = cloudInitOf(request, spec);
  const wanted = { hostname: name, 'user-data': userData };
  if (isOffered(wanted)) return { vApp: vAppOf(offered, wanted), extraConfig: {} };
  const metadata = JSON.stringify({ 'instance-id': request.token, 'local-hostname': name });
  return {
    extraConfig: {
      ...inBase64('guestinfo.userdata', userData),
      ...inBase64('guestinfo.metadata', Buffer.from(metadata).toString('base64')),
    },
  };
}

const inBase64 = (key: string, value: string): Texts => ({
  [key]: value,
  [`${key}.encoding`]: 'base64',
});

/** All that can be set, with its default where it is not wanted. */
function vAppOf(offered: readonly XmlElement[], wanted: Texts): XmlElement {
  const edits = offered.map((property) => {
    const [key, id] = [textOf(property, 'key'), textOf(property, 'id')];
    const value = wanted[id] ?? (textOf(property, 'defaultValue') || ' ');
    const info = [
      xml('key', key),
      xml('id', id),
      xml('userConfigurable', true),
      xml('value', value),
    ];
    return xml('property', [xml('operation', 'edit'), xml('info', info)]);
  });
  return xml('vAppConfig', edits, { 'xsi:type': 'VmConfigSpec' });
}

/** What is Ignition already stays as it is. */
function ignitionOf(request: CreateRequest, { sshKeys = [] }: Spec, path: string): string {
  if (/^\s*\{\s*"ignition"/.test(request.userData)) return request.userData;
  const file = (to: string, source: string): object => ({
    filesystem: 'root',
    path: to,
    contents: { source: `data:${source}` },
    mode: 0o644,
  });
  const contents =
    '[Match]\nName=ens192\n\n[Network]\nDHCP=yes\nLinkLocalAddressing=no\nIPv6AcceptRA=no\n';
  const user = {
    name: 'core',
    passwordHash: '*',
    sshAuthorizedKeys: sshKeys.map((key) => key.trim()),
  };
  return JSON.stringify({
    ignition: { config: {}, timeouts: {}, version: '2.1.0' },
    networkd: { units: [{ contents, name: '00-ens192.network' }] },
    passwd: { users: [user] },
    storage: {
      directories: [{ filesystem: 'root', path, mode: 0o755 }],
      files: [
        file('/etc/hostname', `,${request.machine.name}`),
        file(`${path}/user_data`, `text/plain;charset=utf-8;base64,${base64UserData(request)}`),
      ],
    },
    systemd: {},
  });
}

/** In base64. With keys a script becomes a part of what cloud-init reads, as it always does there. */
function cloudInitOf(request: CreateRequest, { sshKeys = [] }: Spec): string {
  const encoded = base64UserData(request);
  const { userData, userDataBytes } = request;
  const isScript = userData.startsWith('#!/');
  if (userDataBytes || (!isScript && sshKeys.length === 0)) return encoded;
  if (sshKeys.length > 0 && userData.includes('ssh_authorized_keys:')) {
    throw fault('input', 'Invalid value: userdata already contains key `ssh_authorized_keys`');
  }
  const script = '/root/cloud-init-script';
  const text = isScript
    ? `#cloud-config\n\nwrite_files:\n- encoding: b64\n  content: ${encoded}\n  owner: root:root\n  path: ${script}\n  permissions: '0555'\n\nruncmd:\n- ${script}\n- rm ${script}\n`
    : userData;
  const keys = sshKeys.map((key) => `- ${JSON.stringify(key.trim())}\n`);
  const section = keys.length > 0 ? `\nssh_authorized_keys:\n${keys.join('')}` : '';
  return Buffer.from(`${text}${section}`).toString('base64');
}
