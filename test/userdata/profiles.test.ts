import { builtInProviders } from '../../activities/drivers/providers.ts';
import { builtInProfile, profileNames } from '../../userdata/profiles.ts';
import { placeholderValues, poolFaults, render } from '../../userdata/render.ts';
import { fitted } from '../../userdata/sizes.ts';
import { someAuthority } from '../support/example-authority.ts';

const typicalConfig = {
  kubernetes: {
    version: '1.34.2',
    apiServer: 'https://api.example.com:6443',
    caBundle: someAuthority,
    clusterDNS: ['10.96.0.10'] as [string],
  },
};
const known = [...builtInProviders, 'local'];
const profiles = profileNames().map((name) => {
  const profile = builtInProfile(name);
  if (!profile) throw new Error(`${name} is listed and not there`);
  return { name, profile };
});

test('there is one for each system', () => {
  expect(profileNames()).toEqual([
    'amazon-linux-2',
    'amazon-linux-2023',
    'debian-13',
    'flatcar',
    'opensuse-leap-15.6',
    'opensuse-leap-16.0',
    'rhel-10',
    'rhel-8',
    'rhel-9',
    'rocky-10',
    'rocky-8',
    'rocky-9',
    'ubuntu-20.04',
    'ubuntu-22.04',
    'ubuntu-24.04',
    'ubuntu-26.04',
  ]);
  expect(builtInProfile('../config')).toBeUndefined();
});

describe.each(profiles)('$name', ({ name, profile }) => {
  const { providers = known, format } = profile;

  test('is called as its file, and is for drivers that there are', () => {
    expect(profile.name).toBe(name);
    for (const provider of providers) expect(known).toContain(provider);
    expect(new Set(providers).size).toBe(providers.length);
  });

  test('makes user data that each of its clouds takes', () => {
    for (const provider of providers) {
      const input = { profile, config: typicalConfig, provider };
      expect(poolFaults(input)).toEqual([]);
      const { text } = render(input, placeholderValues(typicalConfig));
      expect(fitted(text, { provider, format })).not.toHaveProperty('fault');
    }
  });

  test('installs from one place: an image without package manager has all, others have a list', () => {
    const { packageManager, packages = [] } = profile;
    expect(packages.length > 0).toBe(packageManager !== 'none');
    expect(packages).toEqual(packages.toSorted());
  });
});

test('systems out of support say since when', () => {
  const old = profiles.flatMap(({ name, profile: { operatingSystem } }) =>
    operatingSystem.outOfSupport ? [`${name} ${operatingSystem.outOfSupport}`] : [],
  );
  expect(old).toEqual([
    'amazon-linux-2 2026-06-30',
    'opensuse-leap-15.6 2026-04-30',
    'ubuntu-20.04 2025-05-31',
  ]);
});

test.each([
  ['rhel-8', true],
  ['rhel-9', false],
])('kubelets of %s take cgroups of version 1: %s', (name, doTake) => {
  const profile = profiles.find((one) => one.name === name)?.profile;
  if (!profile) throw new Error(`${name} is not there`);
  const input = { profile, config: typicalConfig, provider: 'virtual' };
  const { text } = render(input, placeholderValues(typicalConfig));
  expect(text.includes('failCgroupV1: false')).toBe(doTake);
});
