/** `network` of a template: which addresses its machines have. */
import type { KubermaticProviderConfig } from '../../workflows/api/kubermatic.ts';
import { quoted } from '../../workflows/api/validation.ts';
import type { UserDataPart } from './user-data-part.ts';

/** Which of its addresses the kubelet takes first. */
const families: Readonly<Record<string, 'ipv4' | 'ipv6'>> = {
  IPv4: 'ipv4',
  IPv6: 'ipv6',
  'IPv4+IPv6': 'ipv4',
  'IPv6+IPv4': 'ipv6',
};

/** Of the second family; of the first Millwright sets it, and where `node.ip` is ipv6. */
const forwarding = {
  path: '/etc/sysctl.d/98-ipv6.conf',
  content: 'net.ipv6.conf.all.accept_ra = 2\nnet.ipv6.conf.all.forwarding = 1\n',
};

export function networkOf({ network }: KubermaticProviderConfig): UserDataPart {
  const { cidr, gateway, dns, ipFamily } = network ?? {};
  const part: UserDataPart = { config: {}, faults: [], ignored: [] };
  const fixed = { cidr, gateway, 'dns.servers': dns?.servers?.join(',') };
  for (const [field, value = ''] of Object.entries(fixed)) {
    if (value === '') continue;
    const instead = 'take DHCP; or write the files of a pool of one machine by config.yaml';
    part.faults.push(
      `network.${field} ${quoted(value)} cannot be said, as each machine would have it: ${instead}`,
    );
  }
  const family = ipFamily ?? '';
  const ip = Object.hasOwn(families, family) ? families[family] : undefined;
  if (family !== '' && !ip) {
    const allowed = `it must be one of ${Object.keys(families).join(', ')}`;
    part.faults.push(`network.ipFamily ${quoted(family)} is not known: ${allowed}`);
  }
  const beforeJoin = [`sysctl --quiet --load=${forwarding.path}`];
  const isBoth = family === 'IPv4+IPv6';
  part.config = {
    ...(ip && { node: { ip } }),
    ...(isBoth && { files: [forwarding], commands: { beforeJoin } }),
  };
  return part;
}
