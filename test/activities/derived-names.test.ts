/**
 * Names that are derived from names of others fit every place that they are used in, however long
 * the names of pools, sets and machines are.
 */
import fc from 'fast-check';
import {
  dataDiskNameOf,
  machineNameOf,
  nicNameOf,
  osDiskNameOf,
} from '../../activities/drivers/azure/names.ts';
import { isDiskOf } from '../../activities/drivers/azure/delete-parts.ts';
import { tagsFor, tagValue } from '../../activities/drivers/frame/tags.ts';
import { labelSpelling } from '../../activities/drivers/gcp/labels.ts';
import { isInstanceName } from '../../activities/drivers/gcp/provider-id.ts';
import { machineOf } from '../../activities/machine-set/new-machine.ts';
import { newSetNames } from '../../activities/machine-deployment/new-set.ts';
import { machineFaults } from '../../workflows/api/validation.ts';
import { newNames } from '../../workflows/values/names.ts';
import { aMachineDeployment, aMachineSet } from '../support/builders.ts';

const part = fc.stringMatching(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/);
/** A name that an object may have. */
const subdomain = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) =>
  parts
    .join('.')
    .slice(0, 253)
    .replace(/[^a-z0-9]+$/, ''),
);
/** As long as they may be, where cutting them has to do with a dot or a dash. */
const longest = fc.constantFrom(
  'p'.repeat(253),
  `${'p'.repeat(246)}.q-${'r'.repeat(4)}`,
  `${'p'.repeat(57)}.q`,
  `${'p'.repeat(57)}-q`,
  `team-payments-production-eu-west-1-general-purpose-workers`,
);
const owner = fc.oneof(longest, subdomain);

const object = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const label = /^[a-zA-Z0-9]([-._a-zA-Z0-9]{0,61}[a-zA-Z0-9])?$/;
/** Of interfaces and disks. */
const azure = /^[a-z0-9][-._a-z0-9]{0,78}[a-z0-9]$/;

function machineNameIn(set: string): string {
  const [name = ''] = newNames({ prefix: set, count: 1, taken: new Set(), random: Math.random });
  return name;
}

const each = (names: fc.Arbitrary<string>, look: (name: string) => void): void =>
  fc.assert(fc.property(names, look));

test('of a set of machines: the name of an object', () => {
  each(owner, (name) => {
    const [set] = newSetNames(aMachineDeployment({ metadata: { name } }));
    expect(set?.name).toMatch(object);
  });
});

test('of a machine: an object and a label of its Node', () => {
  each(owner, (set) => {
    const name = machineNameIn(set);
    expect(name).toMatch(object);
    expect(name).toMatch(label);
    expect(
      machineFaults(Object(machineOf(aMachineSet({ metadata: { name: set } }), name))),
    ).toEqual([]);
  });
});

test('of a machine of a pool without dots: an instance of Google', () => {
  each(part, (set) => expect(isInstanceName(machineNameIn(set))).toBe(true));
});

test('of the interface and the disks of a machine: those of Azure, each its own', () => {
  const names = fc.tuple(owner, fc.stringMatching(/^[a-z][-a-z0-9]{0,60}$/));
  fc.assert(
    fc.property(names, ([set, name]) => {
      const machine = machineNameIn(set);
      const dataDisks = [{ lun: 0 }, { name, lun: 7 }, { name, lun: 63 }];
      const disks = dataDisks.map((disk) => dataDiskNameOf(machine, disk));
      const all = [nicNameOf(machine), osDiskNameOf(machine), ...disks];
      for (const one of all) expect(one).toMatch(azure);
      expect(new Set(all).size).toBe(all.length);
      for (const disk of disks) {
        expect(isDiskOf(machine, disk)).toBe(true);
        const found = { type: 'Microsoft.Compute/disks', name: disk, tags: {} };
        expect(
          machineNameOf(found, [
            { name, lun: 7 },
            { name, lun: 63 },
          ]),
        ).toBe(machine);
      }
    }),
  );
});

test('of what an instance is labelled with: labels of Google', () => {
  each(owner, (name) => {
    const made = { cluster: name, machine: { namespace: name, uid: name }, token: name };
    for (const value of [
      ...Object.values(tagsFor({}, made, labelSpelling)),
      tagValue(name, labelSpelling),
    ]) {
      expect(value).toMatch(/^[a-z0-9_-]{1,63}$/);
    }
  });
});
