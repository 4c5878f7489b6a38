/** The activities that look at objects, among any others that an API server may hold. */
import fc from 'fast-check';
import { observeMachineDeployment } from '../../activities/machine-deployment/observe.ts';
import { observeMachineSet } from '../../activities/machine-set/observe.ts';
import { readAndClaimMachine } from '../../activities/machine/read-and-claim.ts';
import { planMachineDeployment } from '../../workflows/plan/machine-deployment/plan.ts';
import { planMachineSet } from '../../workflows/plan/machine-set/plan.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { aSecret, namespace } from '../support/builders.ts';
import {
  machineClasses,
  machineDeployments,
  machineSets,
  machines,
} from '../support/fuzz/objects.ts';
import { runs } from '../support/fuzz/runs.ts';
import { negativeCounts, unsoundParts } from '../support/fuzz/soundness.ts';
import { aWorld } from '../support/world.ts';

const now = Date.parse('2026-06-01T00:00:00Z');
const clusters = fc.record({
  deployment: machineDeployments,
  sets: fc.uniqueArray(machineSets, { maxLength: 3, selector: ({ metadata }) => metadata.name }),
  machines: fc.uniqueArray(machines, { maxLength: 3, selector: ({ metadata }) => metadata.name }),
  machineClass: machineClasses,
});

function expectUsable(outcome: unknown): void {
  expect([...unsoundParts(outcome), ...negativeCounts(outcome)]).toEqual([]);
}

test('a look at any object ends with facts that a plan can be made of, or with a failure in words', async () => {
  const property = fc.asyncProperty(clusters, look);
  const found = fc.defaultReportMessage(await fc.check(property, runs(200)));
  expect(found).toBeUndefined();
});

type Held = typeof clusters extends fc.Arbitrary<infer T> ? T : never;

async function look(held: Held): Promise<void> {
  const { deployment, sets, machines: members, machineClass } = held;
  const control = [deployment, ...sets, ...members, machineClass, aSecret()];
  const world = aWorld({ control });
  const ofDeployment = await observeMachineDeployment(world, {
    deployment: { namespace, name: deployment.metadata.name },
    now,
  });
  expectUsable(ofDeployment);
  if (ofDeployment.found) expectUsable(planMachineDeployment(ofDeployment.facts, now));
  for (const { metadata } of sets) {
    const set = { namespace, name: metadata.name };
    const outcome = await observeMachineSet(world, { set, now });
    expectUsable(outcome);
    if (!outcome.found) continue;
    const { observation } = outcome;
    expectUsable(planMachineSet({ observation, createdSince: 0, batchSize: 1 }, now));
  }
  for (const machine of members) await prepare(world, machine);
}

async function prepare(world: ReturnType<typeof aWorld>, { metadata }: Machine): Promise<void> {
  const ref = { namespace, name: metadata.name };
  const outcome = await readAndClaimMachine(world, { machine: ref, isRetry: false });
  expectUsable(outcome);
  const message = outcome.found ? outcome.failure?.message : undefined;
  expect(message ?? 'fine: yes').toMatch(/\S+: /);
}
