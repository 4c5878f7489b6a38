import { describe, expect, test } from '@jest/globals';
import {
  machineClassFaults,
  machineDeploymentFaults,
  machineFaults,
  machineSetFaults,
} from '../../../workflows/api/validation.ts';
import { accepted, refused } from './manifests.ts';
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
