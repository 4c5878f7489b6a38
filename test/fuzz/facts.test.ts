/** What activities make of any object that an API server may hold: faults in words, or facts that are of use. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { factsOf, newSetAmong, optionsOf } from '../../activities/machine-deployment/facts.ts';
import { reportOf } from '../../activities/machine-deployment/status.ts';
import { demandOf } from '../../activities/machine-set/demand.ts';
import { factOf } from '../../activities/machine-set/facts.ts';
import { selectorText } from '../../activities/machine-set/selector.ts';
import { statusOf } from '../../activities/machine-set/status.ts';
import { healthLimitsOf, preparedOf, preserveSecondsOf } from '../../activities/machine/object.ts';
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
import { isEmptySelector } from '../../workflows/api/selector.ts';
import { holdsForAll } from '../support/fuzz/runs.ts';
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
    holdsForAll(machines, runsEach, (machine) => expectWords(machineFaults(machine)));
  });

  test('yields facts that are of use', () => {
    holdsForAll(machines, runsEach, (machine) => {
      expectUsable(preparedOf(machine, world));
      expectUsable(factOf(machine));
      expectUsable(healthLimitsOf(machine, world.defaults));
      expectUsable(preserveSecondsOf(machine, world.defaults));
    });
  });
});

describe('any text in an annotation', () => {
  test.each(ownAnnotations)('%s yields facts that are of use', (key) => {
    const clock = { now, readySeconds: 0 };
    for (const text of knownTexts) {
      const metadata = { annotations: { [key]: text } };
      const machine = aMachine({ metadata });
      const deployment = aMachineDeployment({ metadata });
      const { faults, ...options } = optionsOf(deployment);
      expectWords(faults);
      expectUsable(options);
      expectUsable(preparedOf(machine, world));
      expectUsable(factOf(machine));
      expectUsable(
        setFactsOf(deployment, { set: aMachineSet({ metadata }), isOfTemplate: true }, clock),
      );
    }
  });

  test('is no time to end a drain, unless it is one in full', () => {
    const untils = knownTexts.map((text) => {
      const metadata = { annotations: { [drainOptions.until]: text } };
      return { text, until: preparedOf(aMachine({ metadata }), world).drain?.until };
    });
    for (const { text, until } of untils) {
      if (until !== undefined) expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/);
    }
  });
});

test('any text as a phase is a phase, or none', () => {
  for (const text of knownTexts) {
    const status = answered<MachineStatus>({ currentStatus: { phase: text } });
    expect(preparedOf(aMachine({ status }), world).phase).toBe('');
  }
});

/** As it comes over the wire: nobody checked its types. */
function answered<T>(value: unknown): T {
  return JSON.parse(JSON.stringify(value));
}

describe('any MachineClass', () => {
  test('has faults in words', () => {
    holdsForAll(machineClasses, runsEach, (machineClass) =>
      expectWords(machineClassFaults(machineClass)),
    );
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
    holdsForAll(machineSets, runsEach, (set) => expectWords(machineSetFaults(set)));
  });

  test('yields facts that are of use', () => {
    holdsForAll(machineSets, runsEach, (set) => {
      const demand = demandOf(set);
      expectUsable(demand);
      expectWords(demand.faults);
    });
  });

  test('is asked for by a selector that the API server takes, or has faults', () => {
    const draws = fc.tuple(selectors, fc.dictionary(fc.constant('pool'), anyText));
    holdsForAll(draws, 4 * runsEach, ([selector, others]) => {
      const labels = { ...others, ...selector.matchLabels };
      const template = { ...aTemplate(), metadata: { labels } };
      const { faults } = demandOf(aMachineSet({ spec: { selector, template } }));
      expectWords(faults);
      if (faults.length > 0 || isEmptySelector(selector)) return;
      for (const part of selectorText(selector).split(/,(?![^(]*\))/)) {
        expect(part).toMatch(requirement);
      }
    });
  });

  test('has a status that can be counted', () => {
    holdsForAll(
      fc.tuple(machineSets, fc.array(machines, { maxLength: 4 })),
      runsEach,
      ([set, members]) => expectUsable(statusOf(set, members, undefined)),
    );
  });
});

describe('any MachineDeployment', () => {
  test('has faults in words', () => {
    holdsForAll(machineDeployments, runsEach, (deployment) =>
      expectWords(machineDeploymentFaults(deployment)),
    );
  });

  test('has options with faults in words', () => {
    holdsForAll(machineDeployments, runsEach, (deployment) => {
      const { faults, ...options } = optionsOf(deployment);
      expectUsable(options);
      expectWords(faults);
    });
  });

  const views = fc.record({
    deployment: machineDeployments,
    sets: fc.array(machineSets, { maxLength: 3 }),
    machines: fc.option(fc.array(machines, { maxLength: 4 }), { nil: undefined }),
  });

  test('yields facts and a status that are of use, whatever its sets and machines are', () => {
    holdsForAll(views, runsEach, ({ deployment, sets, machines: seen }) => {
      const options = optionsOf(deployment);
      const newSet = newSetAmong(deployment, sets, options);
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
    });
  });
});
