/** Which rules a write has to keep. */
import { targetOf } from '../../../support/api-server/paths.ts';
import type { Evidence } from '../evidence.ts';
import { findSecret } from '../secrets.ts';
import { judgeLeader } from './authority-rules.ts';
import type { Case, JudgedWrite } from './case.ts';
import { judgeCordon, judgePod } from './drain-rules.ts';
import { judgeFailure } from './failure-rules.ts';
import { judgeFinalizer } from './finalizer-rules.ts';
import { judgeMove, judgeSelection, judgeUpdateFailure } from './in-place-rules.ts';
import { judgeMachineCreation } from './machine-creation.ts';
import { judgeMachineDeletion } from './machine-deletion.ts';
import { judgeNode } from './node-rules.ts';
import { judgePlace } from './place-rules.ts';
import { PolicyRules } from './policy-rules.ts';
import { judgeReplacement, judgeTurns } from './policy-writes.ts';
import { judgeScaling } from './rollout-rules.ts';
import { judgeCancelled, judgeFreeze, judgeInitialised, judgeOverdue } from './status-rules.ts';
import { judgeSetCreation, judgeSetDeletion } from './set-rules.ts';

type RuleOfWrite = (judged: Case) => void;

/** By method and kind. */
const rules: Readonly<Record<string, readonly RuleOfWrite[]>> = {
  'POST Machine': [judgeMachineCreation],
  'PATCH Machine': [
    judgeFinalizer,
    judgeFailure,
    judgeCancelled,
    judgeInitialised,
    judgeReplacement,
    judgeMove,
    judgeUpdateFailure,
  ],
  'DELETE Machine': [judgeMachineDeletion],
  'POST MachineSet': [judgeSetCreation, judgeScaling],
  'PATCH MachineSet': [judgeFinalizer, judgeScaling, judgeFreeze],
  'DELETE MachineSet': [judgeSetDeletion],
  'PATCH MachineDeployment': [judgeFinalizer, judgeOverdue],
  'PATCH DisruptionPolicy': [judgeTurns],
  'PATCH MachineClass': [judgeFinalizer],
  'PATCH Secret': [judgeFinalizer],
  'PATCH Node': [judgeNode, judgeCordon, judgeSelection],
  'POST Pod': [judgePod],
  'DELETE Pod': [judgePod],
  'DELETE Node': [judgeNode],
};

export class WriteRules {
  readonly #evidence: Evidence;
  readonly #policies: PolicyRules;

  constructor(evidence: Evidence) {
    this.#evidence = evidence;
    this.#policies = new PolicyRules(evidence);
  }

  hear(write: JudgedWrite): void {
    const evidence = this.#evidence;
    evidence.catchUp();
    const target = targetOf(write.path);
    const install = evidence.installOf(write.process.name);
    if (!target || !install) return;
    const judged: Case = {
      evidence,
      install,
      write,
      target,
      past: evidence.pastOf(write.cluster),
      before: write.before,
      after: write.after,
      now: evidence.simulation.now,
      since: evidence.since(install, write.sentAt),
    };
    judgePlace(judged);
    if (target.resource.kind === 'Lease') return;
    judgeSecrets(judged);
    judgeAttempt(judged);
    const { kind } = target.resource;
    const what = `wrote ${write.path}`;
    if (kind !== 'Event')
      judgeLeader(evidence, install, {
        by: write.process.name,
        what,
        subject: write.path,
        sentAt: write.sentAt,
      });
    for (const rule of rules[`${write.method} ${kind}`] ?? []) rule(judged);
    if (kind === 'MachineSet') this.#policies.judgeSize(judged);
  }
}

/** Of the activities of sets and deployments, which write many objects, each by what it read. */
const ofMany: readonly string[] = [
  'observeMachineSet',
  'createMachines',
  'deleteMachines',
  'markPreserved',
  'pushTemplate',
  'observeMachineDeployment',
  'applyDeploymentSteps',
];

/** Another attempt may be at work, and knows better. */
function judgeAttempt({ evidence, write, target }: Case): void {
  const { lateActivity } = write;
  if (lateActivity === undefined || !ofMany.includes(lateActivity)) return;
  if (!['Machine', 'MachineSet', 'MachineDeployment'].includes(target.resource.kind)) return;
  const text = `${write.process.name} sent ${write.method} ${write.path} after this attempt of ${lateActivity} was over`;
  evidence.rulings.against('an attempt that is over writes no more', write.path, text);
}

/** Secrets may be written into Secrets alone. */
function judgeSecrets({ evidence, write, target }: Case): void {
  if (target.resource.kind === 'Secret') return;
  const found = findSecret(JSON.stringify(write.body ?? ''));
  if (found === undefined) return;
  const text = `${write.process.name} wrote one to ${write.path}: ${found}`;
  evidence.rulings.against('no secret leaves', write.path, text);
}
