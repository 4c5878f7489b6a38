/** Modules and settings of the kernel. */
import type { MachineFile } from './machine-document.ts';
import type { UserDataInput } from './input.ts';

export const sysctlPath = '/etc/sysctl.d/99-millwright.conf';

/** As the kubelet wants them: with `protectKernelDefaults` it ends rather than set them. */
const ofKubelet = {
  'vm.overcommit_memory': '1',
  'vm.panic_on_oom': '0',
  'kernel.panic': '10',
  'kernel.panic_on_oops': '1',
  'kernel.keys.root_maxkeys': '1000000',
  'kernel.keys.root_maxbytes': '25000000',
};

export function kernelModules({ profile }: UserDataInput): string[] {
  return [...new Set(['overlay', 'br_netfilter', ...(profile.kernelModules ?? [])])];
}

export function kernelFiles(input: UserDataInput): MachineFile[] {
  const settings = {
    'net.bridge.bridge-nf-call-iptables': '1',
    'net.bridge.bridge-nf-call-ip6tables': '1',
    'net.ipv4.ip_forward': '1',
    // Routes of the router are taken although the machine forwards.
    ...(input.config.node?.ip === 'ipv6' && {
      'net.ipv6.conf.all.accept_ra': '2',
      'net.ipv6.conf.all.forwarding': '1',
    }),
    ...(input.config.kubelet?.protectKernelDefaults && ofKubelet),
    ...input.profile.sysctl,
  };
  const sysctl = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  const modules = kernelModules(input).map((name) => `${name}\n`);
  return [
    { path: '/etc/modules-load.d/millwright.conf', permissions: '0644', content: modules.join('') },
    { path: sysctlPath, permissions: '0644', content: sysctl.join('') },
  ];
}
