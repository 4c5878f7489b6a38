/** How a guest gets its user data: as Gardener's driver gives it, or else by guestinfo. */
import type { CreateRequest } from '../driver.ts';
import { fault } from '../frame/fault.ts';
import { base64UserData } from '../user-data-bytes.ts';
import type { VirtualMachine } from './machine.ts';
import type { VsphereProviderSpec } from './provider-spec.ts';
import { allIn, textOf, xml, type XmlElement } from './vcenter/xml.ts';

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

/** By the properties of the template's vApp, where it has those that are needed. */
export function guestSettings(
  { values }: VirtualMachine,
  request: CreateRequest,
  spec: Spec,
): GuestSettings {
  const offered = allIn(values['config.vAppConfig'], 'property').filter(
    (property) => textOf(property, 'userConfigurable') === 'true',
  );
  const ids = offered.map((property) => textOf(property, 'id'));
  const path = ignitionPaths[spec.guestId || (values['config.guestId']?.text ?? '')];
  const { vApp, extraConfig } = path
    ? ignitionSettings(request, spec, path)
    : cloudInitSettings(request, spec);
  const wanted = spec.vapp?.properties ?? vApp;
  const missing = Object.keys(wanted).filter((id) => !ids.includes(id));
  if (missing.length === 0) return { vApp: vAppOf(offered, wanted), extraConfig: {} };
  if (!spec.vapp) return { extraConfig };
  const has = ids.length > 0 ? `only ${ids.join(', ')}` : 'none';
  const message = `Invalid value: providerSpec.vapp.properties: the vApp of the template has ${has} to be set, and not ${missing.join(', ')}`;
  throw fault('input', message);
}

/** All that can be set, with its default where it is not wanted. */
function vAppOf(offered: readonly XmlElement[], wanted: Texts): XmlElement {
  const edits = offered.map((property) => {
    const [key, id] = [textOf(property, 'key'), textOf(property, 'id')];
    const value = wanted[id] ?? (textOf(property, 'defaultValue') || ' ');
    const fields = { key, id, userConfigurable: true, value };
    const info = Object.entries(fields).map(([name, text]) => xml(name, text));
    return xml('property', [xml('operation', 'edit'), xml('info', info)]);
  });
  return xml('vAppConfig', edits, { 'xsi:type': 'VmConfigSpec' });
}

interface Choice {
  vApp: Texts;
  extraConfig: Texts;
}

const inBase64 = (text: string): string => Buffer.from(text).toString('base64');

function cloudInitSettings(request: CreateRequest, spec: Spec): Choice {
  const { name } = request.machine;
  const userData = cloudInitOf(request, spec.sshKeys ?? []);
  const metadata = { 'instance-id': request.token, 'local-hostname': name };
  return {
    vApp: { hostname: name, 'user-data': userData },
    extraConfig: {
      'guestinfo.userdata': userData,
      'guestinfo.userdata.encoding': isGzip(request) ? 'gzip+base64' : 'base64',
      'guestinfo.metadata': inBase64(JSON.stringify(metadata)),
      'guestinfo.metadata.encoding': 'base64',
    },
  };
}

/** cloud-init takes what only `base64` is said of for text (its DataSourceVMware). */
function isGzip({ userDataBytes }: CreateRequest): boolean {
  return userDataBytes?.[0] === 0x1f && userDataBytes[1] === 0x8b;
}

/** In base64. A script becomes a part of what cloud-init reads, which has room for keys. */
function cloudInitOf(request: CreateRequest, sshKeys: readonly string[]): string {
  const { userData } = request;
  const encoded = base64UserData(request);
  const isScript = userData.startsWith('#!/');
  if (request.userDataBytes || (!isScript && sshKeys.length === 0)) return encoded;
  if (sshKeys.length > 0 && userData.includes('ssh_authorized_keys:')) {
    throw fault('input', 'Invalid value: userdata already contains key `ssh_authorized_keys`');
  }
  const script = '/root/cloud-init-script';
  const text = isScript
    ? `#cloud-config\n\nwrite_files:\n- encoding: b64\n  content: ${encoded}\n  owner: root:root\n  path: ${script}\n  permissions: '0555'\n\nruncmd:\n- ${script}\n- rm ${script}\n`
    : userData;
  const keys = sshKeys.map((key) => `- ${JSON.stringify(key.trim())}\n`).join('');
  return inBase64(keys === '' ? text : `${text}\nssh_authorized_keys:\n${keys}`);
}

function ignitionSettings(request: CreateRequest, spec: Spec, path: string): Choice {
  const key = 'guestinfo.ignition.config.data';
  const text = ignitionOf(request, spec.sshKeys ?? [], path);
  return {
    vApp: { [key]: text },
    extraConfig: { [key]: inBase64(text), [`${key}.encoding`]: 'base64' },
  };
}

/** As Gardener's driver writes it; what is Ignition already stays as it is. */
function ignitionOf(request: CreateRequest, sshKeys: readonly string[], path: string): string {
  if (/^\s*\{\s*"ignition"/.test(request.userData)) return request.userData;
  const contents =
    '[Match]\nName=ens192\n\n[Network]\nDHCP=yes\nLinkLocalAddressing=no\nIPv6AcceptRA=no\n';
  const sshAuthorizedKeys = sshKeys.map((key) => key.trim());
  const sources = {
    '/etc/hostname': `data:,${request.machine.name}`,
    [`${path}/user_data`]: `data:text/plain;charset=utf-8;base64,${base64UserData(request)}`,
  };
  const files = Object.entries(sources).map(([to, source]) => {
    return { filesystem: 'root', path: to, contents: { source }, mode: 0o644 };
  });
  return JSON.stringify({
    ignition: { config: {}, timeouts: {}, version: '2.1.0' },
    networkd: { units: [{ contents, name: '00-ens192.network' }] },
    passwd: { users: [{ name: 'core', passwordHash: '*', sshAuthorizedKeys }] },
    storage: { directories: [{ filesystem: 'root', path, mode: 0o755 }], files },
    systemd: {},
  });
}
