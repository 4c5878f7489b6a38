/** One run of the kit: every check in its order, and the clean-up whatever came before. */
import { answerChecks } from './checks/answers.ts';
import { badInputChecks, badSpecChecks, validationCheck } from './checks/bad-input.ts';
import type { Check } from './checks/check.ts';
import { notInMcm } from './contract.ts';
import { crowdCheck } from './checks/crowd.ts';
import { consoleChecks } from './checks/console-output.ts';
import { creationChecks } from './checks/creation.ts';
import { deletionChecks } from './checks/deletion.ts';
import { listingChecks } from './checks/listing.ts';
import { troubleChecks } from './checks/trouble.ts';
import { cleanUp } from './clean-up.ts';
import type { Verdict } from './report.ts';
import type { Trial } from './trial.ts';
import { withoutSecrets } from './secrets.ts';
import { Mismatch, Skipped } from './verdict.ts';

interface RunOptions {
  /** Aborted: the check that runs is the last one, and the clean-up follows. */
  signal: AbortSignal;
  /** Called for each check when it is over. */
  onFinding(finding: Verdict): void;
}

export async function runChecks(
  trial: Trial,
  { signal, onFinding }: RunOptions,
): Promise<Verdict[]> {
  const findings: Verdict[] = [];
  const run = async (check: Check): Promise<void> => {
    const finding = await findingOf(trial, check);
    findings.push(finding);
    onFinding(finding);
  };
  const checks = [
    validationCheck,
    ...creationChecks,
    crowdCheck,
    ...consoleChecks,
    ...listingChecks,
    ...troubleChecks,
    ...deletionChecks,
    ...badInputChecks,
    ...badSpecChecks(trial),
  ];
  for (const check of checks) if (!signal.aborted) await run(check);
  if (signal.aborted) await run(brokenOff);
  await run(cleanUp);
  for (const check of answerChecks) await run(check);
  return findings;
}

const brokenOff: Check = {
  says: 'is asked everything',
  run: () => Promise.reject(new Mismatch('time for all checks', 'the command was asked to end')),
};

async function findingOf(trial: Trial, { says, wants, run }: Check): Promise<Verdict> {
  const begunAt = performance.now();
  const { result, ...words } = await outcomeOf(async () => {
    if (trial.parts.contract === 'mcm' && wants) throw new Skipped(notInMcm[wants]);
    await run(trial);
  });
  const milliseconds = Math.round(performance.now() - begunAt);
  const clean = Object.entries(words).map(([name, text]) => [
    name,
    withoutSecrets(text, trial.parts.secret),
  ]);
  return { check: says, result, ...Object.fromEntries(clean), milliseconds };
}

async function outcomeOf(
  run: () => Promise<void>,
): Promise<Pick<Verdict, 'result' | 'expected' | 'came' | 'reason'>> {
  try {
    await run();
    return { result: 'ok' };
  } catch (error) {
    if (error instanceof Skipped) return { result: 'skipped', reason: error.message };
    if (error instanceof Mismatch) {
      const { expected, came } = error;
      return { result: 'failed', expected, came };
    }
    // Kubernetes or Temporal did not do what the check needed: the clean-up must come all the same.
    const came = error instanceof Error ? error.message : String(error);
    return { result: 'failed', expected: 'the check can be made', came };
  }
}
