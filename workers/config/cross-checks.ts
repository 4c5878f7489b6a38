/** Faults that the text of one flag alone does not show. */
import { existsSync } from 'node:fs';
import type { FlagName, FlagValues } from './flags/table.ts';
import type { Fault } from './flags/parse.ts';

/** Words that stand in the place of a file. Empty: none is needed. */
const wordsForFiles = {
  'control-kubeconfig': ['', 'inClusterConfig'],
  'target-kubeconfig': ['', 'inClusterConfig', 'none'],
  'workflow-bundle': [''],
} as const satisfies Partial<Record<FlagName, string[]>>;

export function faultsOfFiles(flags: FlagValues): Fault[] {
  const faults: Fault[] = [];
  for (const name of ['control-kubeconfig', 'target-kubeconfig', 'workflow-bundle'] as const) {
    const path = flags[name];
    const words: readonly string[] = wordsForFiles[name];
    if (words.includes(path) || existsSync(path)) continue;
    faults.push(`--${name}: the file ${JSON.stringify(path)} does not exist`);
  }
  if (flags['target-kubeconfig-secret'] !== '' && flags['control-kubeconfig'] === '') {
    faults.push(
      '--target-kubeconfig-secret needs --control-kubeconfig: a file, or inClusterConfig',
    );
  }
  if (flags['target-kubeconfig'] === 'none' && flags['control-kubeconfig'] === '') {
    faults.push('--target-kubeconfig=none needs --control-kubeconfig: a file, or inClusterConfig');
  }
  return faults;
}

/** Which namespaces are served, and where each finds its target cluster. */
export function faultsOfFleet(flags: FlagValues, given: ReadonlySet<FlagName>): Fault[] {
  const isFleet = flags.namespaces !== 'none';
  const secret = flags['target-kubeconfig-secret'];
  const faults: Fault[] = [];
  if (isFleet && given.has('namespace')) {
    faults.push('--namespaces: is not allowed together with --namespace; give one of them');
  }
  if (isFleet && flags.install === '') {
    faults.push('--namespaces needs --install: a name that stays when namespaces come and go');
  }
  if (secret !== '' && flags['target-kubeconfig'] !== '') {
    faults.push(
      '--target-kubeconfig-secret: is not allowed together with --target-kubeconfig; give one of them',
    );
  }
  if (secret === '' && flags['target-token-secret'] !== '') {
    faults.push('--target-token-secret needs --target-kubeconfig-secret');
  }
  return faults;
}

/**
 * A leader that renews too late works on while another has begun. The Lease is renewed in any case.
 */
export function faultsOfLeaderElection(flags: FlagValues): Fault[] {
  const lease = flags['leader-elect-lease-duration'];
  const renew = flags['leader-elect-renew-deadline'];
  const retry = flags['leader-elect-retry-period'];
  const faults: Fault[] = [];
  // The Lease object stores whole seconds.
  if (!Number.isInteger(lease) || lease < 1) {
    faults.push(
      `--leader-elect-lease-duration: ${lease}s is not allowed; allowed: whole seconds, at least 1s`,
    );
  }
  if (renew >= lease) {
    faults.push(
      `--leader-elect-renew-deadline: ${renew}s is not allowed; allowed: less than --leader-elect-lease-duration (${lease}s)`,
    );
  }
  // Each wait is longer than the period by a random part of up to a fifth.
  if (retry <= 0 || retry * 1.2 >= renew) {
    faults.push(
      `--leader-elect-retry-period: ${retry}s is not allowed; allowed: more than 0s, and less than --leader-elect-renew-deadline (${renew}s) divided by 1.2`,
    );
  }
  return faults;
}

export function faultsOfUrl(name: string, url: string): Fault[] {
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return [];
  return [
    `${name}: ${JSON.stringify(url)} is not allowed; allowed: a URL like http://127.0.0.1:7080`,
  ];
}

export function faultsOfVersion(flags: FlagValues): Fault[] {
  const buildId = flags['build-id'];
  if (buildId === '' || flags['worker-deployment'] !== '') return [];
  return [`--build-id: ${JSON.stringify(buildId)} needs --worker-deployment`];
}
