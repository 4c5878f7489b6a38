import type { Machine, MachineSpec } from '../../../../workflows/api/machine.ts';
import type { MachinePhase } from '../../../../workflows/api/phases.ts';
import { templatePush } from '../../../../workflows/plan/machine-set/template-push.ts';
import { aMachine } from '../../../support/builders.ts';

const template = (changes: MachineSpec = {}): MachineSpec => ({
  class: { kind: 'MachineClass', name: 'small' },
  ...changes,
});
const effective = 'node.machine.sapcloud.io/effective-creation-timeout';

function machine(spec: MachineSpec = {}, metadata: Partial<Machine['metadata']> = {}): Machine {
  return aMachine({ spec: template(spec), metadata, phase: 'Running' });
}

test.each<{ name: string; has: MachineSpec; wants: MachineSpec; patch: object | undefined }>([
  {
    name: 'what the template has no more',
    has: { healthTimeout: '1h', maxEvictRetries: 3, nodeConditions: 'A' },
    wants: {},
    patch: { healthTimeout: null, maxEvictRetries: null, nodeConditions: null },
  },

  {
    name: 'all of it',
    has: {},
    wants: {
      inPlaceUpdateTimeout: '1m',
      machinePreserveTimeout: '1m',
      creationTimeout: '1m',
      disableHealthTimeout: false,
    },
    patch: {
      inPlaceUpdateTimeout: '1m',
      machinePreserveTimeout: '1m',
      creationTimeout: '1m',
      disableHealthTimeout: false,
    },
  },
  {
    name: "never the class's name nor the providerID",
    has: { providerID: 'local:///1' },
    wants: { class: { kind: 'MachineClass', name: 'large' }, providerID: 'local:///2' },
    patch: undefined,
  },
])('the push of a template: $name', ({ has, wants, patch }) => {
  expect(templatePush(machine(has), template(wants))).toEqual(patch);
});

test.each<{ name: string; phase: MachinePhase; metadata?: Partial<Machine['metadata']> }>([
  { name: 'Failed', phase: 'Failed' },
  { name: 'Terminating', phase: 'Terminating' },
  {
    name: 'being deleted',
    phase: 'Running',
    metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
  },
])("a machine that is $name takes the class's kind only", ({ phase, metadata = {} }) => {
  const going = aMachine({ spec: { class: { kind: 'Old', name: 'small' } }, metadata, phase });
  expect(templatePush(going, template({ drainTimeout: '1h' }))).toEqual({
    class: { kind: 'MachineClass' },
  });
});

test.each([
  { name: 'is left alone once it stands', own: '5m', has: '300s', patch: undefined },
  { name: 'that is none gives way', own: 'soon', has: '20m', patch: { creationTimeout: '1h' } },
])("the machine's own creation timeout $name", ({ own, has, patch }) => {
  const given = machine({ creationTimeout: has }, { annotations: { [effective]: own } });
  expect(templatePush(given, template({ creationTimeout: '1h' }))).toEqual(patch);
});
