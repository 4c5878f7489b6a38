/**
 * `npm run audit`: asks the registry for advisories about all packages of the lock file, those for
 * development too, and fails on one that is not accepted. When no
 * advisory service answers, it says so, and fails only with `--required`.
 */
import { spawnSync } from 'node:child_process';
import { accepted, type Acceptance } from './accepted-advisories.ts';

/** As `npm audit --json` prints it. An entry of `via` that is a text names another package. */
export interface AuditReport {
  vulnerabilities?: Readonly<Record<string, { via: readonly (string | Advisory)[] }>>;
  message?: string;
}

interface Advisory {
  name: string;
  title: string;
  severity: string;
  url: string;
}

export interface AuditVerdict {
  /** Lines to print. */
  lines: readonly string[];
  result: 'well' | 'refused' | 'unanswered';
}

/** @param today As YYYY-MM-DD. */
export function evaluate(
  { vulnerabilities, message = '' }: AuditReport,
  acceptances: readonly Acceptance[],
  today: string,
): AuditVerdict {
  if (vulnerabilities === undefined) {
    const lines = [`No advisory service answered, so nothing was audited: ${message}`];
    return { lines, result: 'unanswered' };
  }
  const advisories = new Map(
    Object.values(vulnerabilities)
      .flatMap(({ via }) => via.filter((entry) => typeof entry !== 'string'))
      .map((advisory) => [advisory.url.slice(advisory.url.lastIndexOf('/') + 1), advisory]),
  );
  const findings = [...advisories].map(([id, advisory]) => {
    const acceptance = acceptances.find((one) => one.id === id);
    const isAccepted = acceptance !== undefined && acceptance.until >= today;
    return { isAccepted, line: lineOf(advisory, acceptance, isAccepted) };
  });
  const unused = acceptances
    .filter(({ id }) => !advisories.has(id))
    .map(({ id }) => `${id} is accepted and no longer reported: remove it`);
  const isWell = unused.length === 0 && findings.every(({ isAccepted }) => isAccepted);
  const lines = [...findings.map(({ line }) => line), ...unused];
  const none = 'No package has a known advisory.';
  return { lines: lines.length === 0 ? [none] : lines, result: isWell ? 'well' : 'refused' };
}

function lineOf(
  advisory: Advisory,
  acceptance: Acceptance | undefined,
  isAccepted: boolean,
): string {
  const { name, title, severity, url } = advisory;
  const what = `${severity}: ${name}: ${title} (${url})`;
  if (acceptance === undefined) return what;
  if (isAccepted) return `accepted until ${acceptance.until}, ${what}: ${acceptance.reason}`;
  return `was accepted until ${acceptance.until}, ${what}`;
}

function report(): AuditReport {
  const { stdout, error } = spawnSync('npm', ['audit', '--json'], {
    encoding: 'utf8',
  });
  if (error) throw error;
  return JSON.parse(stdout);
}

if (import.meta.main) {
  const today = new Date().toISOString().slice(0, 10);
  const { lines, result } = evaluate(report(), accepted, today);
  console.log(lines.join('\n'));
  const isRequired = process.argv.includes('--required');
  if (result === 'refused' || (result === 'unanswered' && isRequired)) process.exitCode = 1;
}
