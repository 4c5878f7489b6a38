import {
  machineClassFaults,
  machineDeploymentFaults,
  machineFaults,
  machineSetFaults,
} from '../../../workflows/api/validation.ts';
import { accepted, longNamed, refused } from './manifests.ts';
import type { Kind, Manifest } from './manifests.ts';

const faultsByKind: Record<Kind, (object: object) => string[]> = {
  Machine: machineFaults,
  MachineSet: machineSetFaults,
  MachineDeployment: machineDeploymentFaults,
  MachineClass: machineClassFaults,
};

const faultsOf = (object: Manifest): string[] => faultsByKind[object.kind](object);

describe('what MCM accepts has no faults', () => {
  test.each(accepted)('$name', ({ object }) => {
    expect(faultsOf(object)).toEqual([]);
  });
});

describe('what MCM refuses in silence has faults that name the field, the value and what is allowed', () => {
  test.each(refused)('$name', ({ object, faults }) => {
    expect(faultsOf(object)).toEqual(faults);
  });
});

test('a name that cannot be a label of the Node is a fault', () => {
  expect(faultsOf(longNamed.object)).toEqual([longNamed.fault]);
});

describe('a node template that fits into an object and not into what Temporal keeps', () => {
  const annotations = Object.fromEntries(
    Array.from({ length: 14 }, (_, index) => [`example.com/${index}`, 'x'.repeat(100_000)]),
  );
  const spec = {
    class: { kind: 'MachineClass', name: 'small' },
    nodeTemplate: { metadata: { annotations } },
  };

  test('is refused on a Machine, with its length and what is allowed', () => {
    expect(machineFaults({ spec })).toEqual([
      expect.stringMatching(
        /^spec\.nodeTemplate: Invalid value: 1400\d{3} characters: must have at most 262144 characters as JSON$/,
      ),
    ]);
  });

  test('is refused on a MachineSet and on a MachineDeployment', () => {
    const fault = expect.stringMatching(/^spec\.template\.spec\.nodeTemplate: Invalid value/);
    const owner = { selector: {}, template: { spec } };
    expect(machineSetFaults({ spec: owner })).toEqual([fault]);
    const strategy = { type: 'Recreate' } as const;
    expect(machineDeploymentFaults({ spec: { ...owner, strategy } })).toEqual([fault]);
  });
});
