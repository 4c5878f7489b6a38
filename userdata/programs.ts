/** Which programs the machines of a pool download, in which version. */
import { downloadOf, newestVersion, type Program } from './downloads.ts';
import type { Download } from './machine-document.ts';
import type { Profile } from './profile.ts';
import type { UserDataInput } from './input.ts';

export const architectures = ['amd64', 'arm64'] as const;

export function programsFolder({ programs = '/usr/local/bin' }: Profile): string {
  return programs;
}

const ofContainerd = ['containerd', 'runc'] as const;

export function programsOf({ profile }: UserDataInput): readonly Program[] {
  const runtime = profile.containerd === 'system' ? [] : ofContainerd;
  return ['kubelet', ...runtime, 'cni-plugins', 'crictl'];
}

/**
 * What the config says; else the newest that it gives digests of; else the newest that is known.
 * Undefined: none is.
 */
export function versionOf(program: Program, { config }: UserDataInput): string | undefined {
  const { kubernetes, containerRuntime, downloads } = config;
  if (program === 'kubelet') return kubernetes.version;
  if (program === 'containerd' && containerRuntime?.version) return containerRuntime.version;
  const given = Object.keys(downloads?.digests?.[program] ?? {}).toSorted((one, other) =>
    other.localeCompare(one, 'en', { numeric: true }),
  );
  return given[0] ?? newestVersion(program, kubernetes.version);
}

/** Those without a digest are missing. */
export function downloadsOf(input: UserDataInput): Download[] {
  return architectures.flatMap((architecture) =>
    programsOf(input).flatMap((program) => {
      const version = versionOf(program, input);
      if (version === undefined) return [];
      return downloadOf({ program, version, architecture, ...input.config.downloads }) ?? [];
    }),
  );
}

export function downloadFaults(input: UserDataInput): string[] {
  const found = downloadsOf(input);
  return programsOf(input).flatMap((program) => {
    const version = versionOf(program, input);
    const missing = architectures.filter(
      (architecture) =>
        !found.some((one) => one.name === program && one.architecture === architecture),
    );
    return missing.map((architecture) => {
      const place = `downloads.digests.${program}.${version ?? 'VERSION'}.${architecture}`;
      return `${place} is missing: ${program} ${version ?? ''} is not among the versions whose SHA-256 Millwright knows; put it there`;
    });
  });
}
