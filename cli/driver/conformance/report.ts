/** Formats what a run found, for people and for programs. */
import type { Contract } from './contract.ts';

export interface Verdict {
  /** Claim that was checked. */
  check: string;
  result: 'ok' | 'failed' | 'skipped';
  /** For a failed check. */
  expected?: string;
  came?: string;
  /** For a skipped check. */
  reason?: string;
  milliseconds: number;
}

export interface Report {
  provider: string;
  /** Beginning of the names of the driver's task queues. */
  queue: string;
  namespace: string;
  className: string;
  /** `mcm`: what MCM's interface cannot say was left out. */
  contract: Contract;
  /** Names of machines and temporary classes of this run begin with it. */
  run: string;
  isPassed: boolean;
  ok: number;
  failed: number;
  skipped: number;
  findings: Verdict[];
}

export type Subject = Pick<
  Report,
  'provider' | 'queue' | 'namespace' | 'className' | 'contract' | 'run'
>;

export function reportOf(subject: Subject, findings: Verdict[]): Report {
  const count = (result: Verdict['result']): number =>
    findings.filter((finding) => finding.result === result).length;
  const failed = count('failed');
  const counts = { ok: count('ok'), failed, skipped: count('skipped') };
  return { ...subject, isPassed: failed === 0, ...counts, findings };
}

/** Providers whose drivers were tested against doubles only (docs/clouds). */
const untried: readonly string[] = [
  'anexia',
  'metal',
  'nutanix',
  'vmware-cloud-director',
  'yandex',
];

export function heading(subject: Subject): string {
  const { provider, queue, namespace, className, contract, run } = subject;
  const warning = untried.includes(provider)
    ? `The driver of provider ${provider} has met no real server: this may be its first one.\n`
    : '';
  const promised =
    contract === 'mcm' ? "; what MCM's interface cannot say is left out and counts as skipped" : '';
  return `${warning}Driver of provider ${provider} on ${queue}, MachineClass ${namespace}/${className}; machines are called ${run}-...${promised}`;
}

const longestCame = 1_000;

export function lineOf({ check, result, expected, came, reason, milliseconds }: Verdict): string {
  const line = `${result.padEnd(7)} ${check}`;
  if (result === 'ok') return `${line} (${milliseconds} ms)`;
  if (result === 'skipped') return `${line}: ${reason}`;
  return `${line}\n          expected: ${expected}\n          came:     ${(came ?? '').slice(0, longestCame)}`;
}

export function totals({ ok, failed, skipped }: Report): string {
  return `${ok} ok, ${failed} failed, ${skipped} skipped`;
}
