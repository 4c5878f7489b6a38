/** Pools of tests, whose texts stay the same whatever new versions the catalogue has. */
import type { UserDataConfig } from '../../userdata/config.ts';
import type { MachineValues, UserDataInput } from '../../userdata/input.ts';
import type { Profile } from '../../userdata/profile.ts';
import { builtInProfile } from '../../userdata/profiles.ts';

/** Nobody has its key. */
export const authority = `-----BEGIN CERTIFICATE-----
MIIBfzCCASWgAwIBAgIUQ6MvofOixpbaheAe2t6+XLGVEvQwCgYIKoZIzj0EAwIw
FTETMBEGA1UEAwwKa3ViZXJuZXRlczAeFw0yNjExMzAwODU3MjFaFw0zNjExMjcw
ODU3MjFaMBUxEzARBgNVBAMMCmt1YmVybmV0ZXMwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARl+/SwOSvNttg0vFtvIRApucwr6LTc8c89/lxECPVrDu38kQzPhh9p
QSh7cKeAMlCOJXNLYuq5GGkEwO70yaILo1MwUTAdBgNVHQ4EFgQUGi/XWzbwfy7u
x0YQXzpCg3A0tlwwHwYDVR0jBBgwFoAUGi/XWzbwfy7ux0YQXzpCg3A0tlwwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEA7mvd2SwFcVmDf6z0Q7kT
i/I4ZlAa7NuZqiX4LhImD0sCIErgIhIzabLfQW0mrGFFhqiL3kFMxs0Ldb5Tglx4
NRCG
-----END CERTIFICATE-----
`;
/** As kubeadm prints it. */
export const authorityHash =
  'sha256:0750ca74f85d8344bd6b80f18a0f13def89556f095e0fa9abec1262165ded6c4';

export const bothOf = (digit: string) => ({ amd64: digit.repeat(64), arm64: digit.repeat(64) });

const digests = {
  kubelet: { '1.34.2': bothOf('a') },
  containerd: { '2.2.0': bothOf('b') },
  runc: { '1.4.0': bothOf('c') },
  'cni-plugins': { '1.9.0': bothOf('d') },
  crictl: { '1.34.0': bothOf('e') },
};

export function someConfig(parts: Partial<UserDataConfig> = {}): UserDataConfig {
  const kubernetes: UserDataConfig['kubernetes'] = {
    version: '1.34.2',
    apiServer: 'https://api.example.com:6443',
    caBundle: authority,
    clusterDNS: ['10.96.0.10'],
  };
  return { downloads: { digests }, ...parts, kubernetes: { ...kubernetes, ...parts.kubernetes } };
}

export function someProfile(name = 'ubuntu-24.04'): Profile {
  const profile = builtInProfile(name);
  if (!profile) throw new Error(`there is no profile ${name}`);
  return profile;
}

export function somePool(
  parts: Partial<UserDataConfig> = {},
  { profile = someProfile(), provider = 'OpenStack' }: Partial<UserDataInput> = {},
): UserDataInput {
  return { profile, provider, config: someConfig(parts) };
}

export function someValues(values: Partial<MachineValues> = {}): MachineValues {
  return {
    machineName: 'pool-a-7x2kq',
    bootstrapToken: 'abcdef.0123456789abcdef',
    secrets: {},
    ...values,
  };
}
