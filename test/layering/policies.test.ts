/**
 * One gate: what a DisruptionPolicy allows is worked out in `activities/disruption`, and asked for
 * in three places. Any other reader would have rules of its own.
 */
import { readSource, sourcesIn } from './sources.ts';

const folders = ['activities', 'kube', 'watcher', 'workers', 'workflows'];
const gate = 'activities/disruption/';

const readsPolicies = /\/disruption-polic(y|ies)\.ts'|\bdisruptionPolicy\(|\bpolicies\.current\(/;

const readers: Readonly<Record<string, string>> = {
  'activities/runtime/dependencies.ts': 'hands the watch on',
  'kube/objects/disruption-policies.ts': 'watches them for the workers',
  'watcher/cache/policy-view.ts': 'which deployments a change concerns',
  'watcher/cache/sources.ts': 'watches them for the watcher',
  'workers/fleet/namespace-parts.ts': 'starts and ends the watch',
};

test('no file outside of the gate reads a DisruptionPolicy, but these', () => {
  const found = sourcesIn(folders)
    .filter((file) => !file.startsWith(gate))
    .filter((file) => readsPolicies.test(readSource(file)));
  expect(found.toSorted()).toEqual(Object.keys(readers));
});

/** Beside the round, which refreshes what policies say of themselves. */
const callers: Readonly<Record<string, string>> = {
  'activities/machine-deployment/facts.ts': 'the list of Failed machines',
  'activities/machine-deployment/granted.ts': 'before a step of a rollout',
  'activities/machine-deployment/in-place-steps.ts': 'before a machine is selected',
  'activities/machine-deployment/observe.ts': 'the facts of a rollout',
  'activities/machine/replacement.ts': 'before a machine turns Failed',
};

test('the gate is asked where machines are chosen, and nowhere else', () => {
  const isAsked = /\/disruption\/(gate|grants|repairs|turns)\.ts'/;
  const found = sourcesIn(['activities', 'watcher', 'workers'])
    .filter((file) => !file.startsWith(gate))
    .filter((file) => isAsked.test(readSource(file)));
  expect(found.toSorted()).toEqual(Object.keys(callers));
});
