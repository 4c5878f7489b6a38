/**
 * What activities make of any object that an API server may hold: faults in words, or facts that
 * are of use.
 */
import fc from 'fast-check';
import { factsOf } from '../../activities/machine-deployment/facts.ts';
import { optionsOf } from '../../workflows/plan/machine-deployment/rollout/options.ts';
import { newSetAmong } from '../../workflows/plan/machine-deployment/rollout/template-set.ts';
import { reportOf } from '../../activities/machine-deployment/status.ts';
import { desiredMachinesOf } from '../../activities/machine-set/desired.ts';
import { factOf } from '../../activities/machine-set/facts.ts';
import { statusOf } from '../../activities/machine-set/status.ts';
import { healthLimitsOf, preserveSecondsOf } from '../../activities/machine/limits.ts';
import { preparedOf } from '../../activities/machine/prepared.ts';
import {
  machineClassFaults,
  machineDeploymentFaults,
  machineFaults,
  machineSetFaults,
} from '../../workflows/api/validation.ts';
import {
  machineClasses,
  machineDeployments,
  machineSets,
  machines,
  ownAnnotations,
} from '../support/fuzz/objects.ts';
import { setFactsOf } from '../../activities/machine-deployment/set-facts.ts';
import { drainOptions } from '../../workflows/api/constants.ts';
import type { MachineStatus } from '../../workflows/api/machine.ts';
import { aMachine, aMachineDeployment, aMachineSet, aTemplate } from '../support/builders.ts';
import { isEmptySelector, selectorText } from '../../workflows/api/selector.ts';
import { counterexample } from '../support/fuzz/runs.ts';
import { anyText, knownTexts } from '../support/fuzz/texts.ts';
import { negativeCounts, unsoundParts } from '../support/fuzz/soundness.ts';
import { aWorld } from '../support/world.ts';

const runsEach = 200;
const world = aWorld();
const now = Date.parse('2026-06-01T00:00:00Z');

function expectUsable(facts: unknown): void {
  expect([...unsoundParts(facts), ...negativeCounts(facts)]).toEqual([]);
}

/** A fault names the field, and says what is allowed. */
function expectWords(faults: string[]): void {
  for (const fault of faults) {
    expect(fault).toMatch(/^[a-zA-Z.]+(\[\d+\])?[^:]*: (Required|Invalid) value\b/);
    expect(fault.length).toBeLessThan(2_000);
  }
}

describe('any Machine', () => {
  test('has faults in words', () => {
    expect(
      counterexample(machines, runsEach, (machine) => expectWords(machineFaults(machine))),
    ).toBeUndefined();
  });

  test('yields facts that are of use', () => {
    expect(
      counterexample(machines, runsEach, (machine) => {
        expectUsable(preparedOf(machine, world));
        expectUsable(factOf(machine));
        expectUsable(healthLimitsOf(machine, world.defaults));
        expectUsable(preserveSecondsOf(machine, world.defaults));
      }),
    ).toBeUndefined();
  });
});

/** Of objects with these annotations; undefined when all is well. */
function counterexampleIn(notes: Record<string, string>): string | undefined {
  return counterexample(fc.constant({ annotations: notes }), 1, (metadata) => {
    const deployment = aMachineDeployment({ metadata });
    const { faults, ...options } = optionsOf(deployment, Date.parse, 0);
    expectWords(faults);
    const machine = aMachine({ metadata });
    const set = { set: aMachineSet({ metadata }), isOfTemplate: true };
    const ofSet = setFactsOf(deployment, set, { now, readySeconds: 0 });
    expectUsable([options, preparedOf(machine, world), factOf(machine), ofSet]);
  });
}

describe('any text in an annotation', () => {
  test.each(ownAnnotations)('%s yields facts that are of use', (key) => {
    const bad = knownTexts.filter((text) => counterexampleIn({ [key]: text }) !== undefined);
    expect(bad).toEqual([]);
  });

  test('is no time to end a drain, unless it is one in full', () => {
    const times = knownTexts.filter((text) => {
      const metadata = { annotations: { [drainOptions.until]: text } };
      return preparedOf(aMachine({ metadata }), world).drain?.until !== undefined;
    });
    expect(times).toEqual(['2026-01-31T22:00:00Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z']);
  });
});

test('any text as a phase is a phase, or none', () => {
  for (const text of knownTexts) {
    const status: MachineStatus = JSON.parse(JSON.stringify({ currentStatus: { phase: text } }));
    expect(preparedOf(aMachine({ status }), world).phase).toBe('');
  }
});

describe('any MachineClass', () => {
  test('has faults in words', () => {
    expect(
      counterexample(machineClasses, runsEach, (machineClass) =>
        expectWords(machineClassFaults(machineClass)),
      ),
    ).toBeUndefined();
  });
});

/** What a list of the API server takes: anything else is answered with 400, for ever. */
const requirement = /^!?[\w./-]+$|^[\w./-]+=[\w.-]*$|^[\w./-]+ (in|notin) \([\w.-]*(,[\w.-]*)*\)$/;

const selectors = fc.record(
  {
    matchLabels: fc.dictionary(fc.oneof(fc.constant('pool'), anyText), anyText, { maxKeys: 2 }),
    matchExpressions: fc.array(
      fc.record(
        {
          key: fc.oneof(fc.constantFrom('pool', 'a.b/c'), anyText),
          operator: fc.oneof(fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'), anyText),
          values: fc.array(fc.oneof(fc.constant('a'), anyText), { maxLength: 2 }),
        },
        { requiredKeys: ['key', 'operator'] },
      ),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: [] },
);

describe('any MachineSet', () => {
  test('has faults in words', () => {
    expect(
      counterexample(machineSets, runsEach, (set) => expectWords(machineSetFaults(set))),
    ).toBeUndefined();
  });

  test('yields facts that are of use', () => {
    expect(
      counterexample(machineSets, runsEach, (set) => {
        const desired = desiredMachinesOf(set);
        expectUsable(desired);
        expectWords(desired.faults);
      }),
    ).toBeUndefined();
  });

  test('is asked for by a selector that the API server takes, or has faults', () => {
    const draws = fc.tuple(selectors, fc.dictionary(fc.constant('pool'), anyText));
    expect(
      counterexample(draws, 4 * runsEach, ([selector, others]) => {
        const labels = { ...others, ...selector.matchLabels };
        const template = { ...aTemplate(), metadata: { labels } };
        const { faults } = desiredMachinesOf(aMachineSet({ spec: { selector, template } }));
        expectWords(faults);
        if (faults.length > 0 || isEmptySelector(selector)) return;
        for (const part of selectorText(selector).split(/,(?![^(]*\))/)) {
          expect(part).toMatch(requirement);
        }
      }),
    ).toBeUndefined();
  });

  test('has a status that can be counted', () => {
    expect(
      counterexample(
        fc.tuple(machineSets, fc.array(machines, { maxLength: 4 })),
        runsEach,
        ([set, members]) => expectUsable(statusOf(set, members, undefined)),
      ),
    ).toBeUndefined();
  });
});

describe('any MachineDeployment', () => {
  test('has faults in words', () => {
    expect(
      counterexample(machineDeployments, runsEach, (deployment) =>
        expectWords(machineDeploymentFaults(deployment)),
      ),
    ).toBeUndefined();
  });

  test('has options with faults in words', () => {
    expect(
      counterexample(machineDeployments, runsEach, (deployment) => {
        const { faults, ...options } = optionsOf(deployment, Date.parse, 0);
        expectUsable(options);
        expectWords(faults);
      }),
    ).toBeUndefined();
  });

  const views = fc.record({
    deployment: machineDeployments,
    sets: fc.array(machineSets, { maxLength: 3 }),
    machines: fc.option(fc.array(machines, { maxLength: 4 }), { nil: undefined }),
  });

  test('yields facts and a status that are of use, whatever its sets and machines are', () => {
    expect(
      counterexample(views, runsEach, ({ deployment, sets, machines: seen }) => {
        const options = optionsOf(deployment, Date.parse, 0);
        const newSet = newSetAmong(deployment, sets);
        const view = {
          deployment,
          faults: machineDeploymentFaults(deployment),
          sets,
          takenNames: new Set<string>(),
          newSet,
          options,
          ...(seen && { machines: seen }),
          now,
          nodes: { hasNodes: true, protects: true },
        };
        expectUsable(factsOf(view));
        expectUsable(reportOf({ deployment, sets, newSet, now }).progress);
      }),
    ).toBeUndefined();
  });
});
