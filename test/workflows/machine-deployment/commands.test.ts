import type { RolloutCommand } from '../../../workflows/contracts/commands.ts';
import type { DeploymentFacts } from '../../../workflows/plan/machine-deployment/rollout/facts.ts';
import { faultOf } from '../../../workflows/machine-deployment/commands.ts';
import { aSet, someFacts, theNewSet } from '../plan/machine-deployment/rollout/deployment-facts.ts';

const facts = someFacts({ sets: [aSet({ name: 'old' }), theNewSet()] });
const paused = { ...facts, isPaused: true };

/** As it comes over the wire: nobody checked its types. */
function command(text: string): RolloutCommand {
  return JSON.parse(text);
}

test.each<{ text: string; known?: DeploymentFacts | undefined; fault: string | undefined }>([
  { text: '{"verb":"pause"}', fault: undefined },
  { text: '{"verb":"pause"}', known: undefined, fault: undefined },
  { text: '{"verb":"pause"}', known: paused, fault: undefined },
  { text: '{"verb":"pause","by":"Ada"}', fault: undefined },
  { text: '{"verb":"pause","by":7}', fault: 'by: must be a text' },
  { text: '{"verb":"resume"}', known: paused, fault: undefined },
  { text: '{"verb":"setReplicas","replicas":0}', fault: undefined },
  { text: '{"verb":"setReplicas","replicas":2147483647}', known: paused, fault: undefined },
  {
    text: '{"verb":"setReplicas","replicas":2147483648}',
    fault: 'replicas: 2147483648: must be a whole number of 0 or more',
  },
  {
    text: '{"verb":"setReplicas","replicas":-1}',
    fault: 'replicas: -1: must be a whole number of 0 or more',
  },
  {
    text: '{"verb":"setReplicas","replicas":1.5}',
    fault: 'replicas: 1.5: must be a whole number of 0 or more',
  },
  {
    text: '{"verb":"setReplicas","replicas":"3"}',
    fault: 'replicas: "3": must be a whole number of 0 or more',
  },
  {
    text: '{"verb":"setReplicas"}',
    fault: 'replicas: undefined: must be a whole number of 0 or more',
  },
  { text: '{"verb":"rollback"}', fault: undefined },
  { text: '{"verb":"rollback","revision":0}', fault: undefined },
  { text: '{"verb":"rollback","revision":1}', fault: undefined },
  { text: '{"verb":"rollback","revision":9}', known: undefined, fault: undefined },
  {
    text: '{"verb":"rollback","revision":9}',
    fault: 'revision: 9: no MachineSet has it; known are 1, 2',
  },
  {
    text: '{"verb":"rollback","revision":9}',
    known: { ...facts, sets: facts.sets.toReversed() },
    fault: 'revision: 9: no MachineSet has it; known are 1, 2',
  },
  {
    text: '{"verb":"rollback","revision":9}',
    known: { ...facts, sets: [] },
    fault: 'revision: 9: no MachineSet has it; known are none',
  },
  {
    text: '{"verb":"rollback","revision":-1}',
    fault: 'revision: -1: must be a whole number, or 0 for the one before',
  },
  {
    text: '{"verb":"rollback","revision":"one"}',
    fault: 'revision: "one": must be a whole number, or 0 for the one before',
  },
  {
    text: '{"verb":"rollback"}',
    known: paused,
    fault: 'the MachineDeployment is paused: resume it, then roll back',
  },
  { text: '{"verb":"overridePolicies","minutes":10080,"reason":"CVE"}', fault: undefined },
  {
    text: '{"verb":"overridePolicies","minutes":10081,"reason":"CVE"}',
    fault: 'minutes: 10081: must be more than 0, and 10080 at most',
  },
  {
    text: '{"verb":"overridePolicies","minutes":0,"reason":"CVE"}',
    fault: 'minutes: 0: must be more than 0, and 10080 at most',
  },
  {
    text: '{"verb":"overridePolicies","minutes":5}',
    fault: 'reason: undefined: must be a text of one line, of at most 200 characters',
  },
  {
    text: '{"verb":"overridePolicies","minutes":5,"reason":"two\\nlines"}',
    fault: 'reason: "two\\nlines": must be a text of one line, of at most 200 characters',
  },
  {
    text: '{"verb":"setReplicas","replicas":1}',
    known: { ...facts, isDeleting: true },
    fault: 'the MachineDeployment is being deleted',
  },
])('the command $text to a deployment is refused with: $fault', ({ text, fault, ...row }) => {
  expect(faultOf(command(text), 'known' in row ? row.known : facts)).toBe(fault);
});
