import { customResource, namespaced } from '../../../kube/client/paths.ts';
import { readMachineClass, reportClass } from '../../../activities/machine-class/validation.ts';
import { annotations } from '../../../workflows/api/constants.ts';
import type { MachineClass } from '../../../workflows/api/machine-class.ts';
import { aMachineClass, aSecret, namespace } from '../../support/builders.ts';
import type { WorldOfTests } from '../../support/world.ts';
import { aWorld } from '../../support/world.ts';

const ref = { namespace, name: 'small' };
const path = customResource('machineclasses', namespace, 'small');
const events = namespaced('events', namespace);

async function noteIn({ control }: WorldOfTests): Promise<string | undefined> {
  const { metadata } = await control.read<MachineClass>(path);
  return metadata.annotations?.[annotations.invalid];
}

describe('a look at a class', () => {
  test.each([
    ['gone', [], { found: false }],
    ['served', [aMachineClass()], { found: true, provider: 'virtual', hasDriver: true }],
    [
      'served by nobody',
      [aMachineClass({ provider: 'mars' })],
      { found: true, provider: 'mars', hasDriver: false },
    ],
  ])('%s', async (_when, control, look) => {
    expect(await readMachineClass(aWorld({ control }), { ref })).toEqual(look);
  });
});

describe('a report on a class', () => {
  const foreign = { name: 'small-secret', namespace: 'garden' };

  test.each<{ what: string; control: object[]; faults?: string[]; note: string | undefined }>([
    { what: 'nothing', control: [aMachineClass(), aSecret()], note: undefined },
    {
      what: 'what its driver says',
      control: [aMachineClass(), aSecret()],
      faults: ['providerSpec.size is missing', 'providerSpec.zone is missing'],
      note: 'providerSpec.size is missing\nproviderSpec.zone is missing',
    },
    {
      what: 'a provider that is not named',
      control: [aMachineClass({ provider: '' }), aSecret()],
      note: 'provider is missing: name a driver, such as AWS',
    },
    {
      what: 'a provider that nobody serves',
      control: [aMachineClass({ provider: 'mars' }), aSecret()],
      note: 'provider: "mars" has no driver: no worker serves its task queue',
    },
    ...['equinixmetal', 'EquinixMetal', 'packet'].map((provider) => ({
      what: `a cloud that closed (${provider})`,
      control: [aMachineClass({ provider }), aSecret()],
      note: `provider: "${provider}" is no more: Equinix Metal closed on 30 June 2026; move its pools to another cloud (docs/clouds), and delete this class once its Machines are gone`,
    })),
    {
      what: 'a provider with a name that every object knows',
      control: [aMachineClass({ provider: 'constructor' }), aSecret()],
      note: 'provider: "constructor" has no driver: no worker serves its task queue',
    },
    {
      what: 'Secrets that are not there, by field',
      control: [aMachineClass({ credentialsSecretRef: { name: 'cloud' } })],
      note: [
        'secretRef.name: Secret "small-secret" does not exist in namespace shoot',
        'credentialsSecretRef.name: Secret "cloud" does not exist in namespace shoot',
      ].join('\n'),
    },
    {
      what: 'a provider whose name has other capitals',
      control: [aMachineClass({ provider: 'aws' }), aSecret()],
      note: 'provider: "aws" is not known: did you mean "AWS"?',
    },
    {
      what: 'a provider with a wrong letter',
      control: [aMachineClass({ provider: 'Asure' }), aSecret()],
      note: 'provider: "Asure" is not known: did you mean "Azure"?',
    },
    {
      what: 'a class that names no Secret',
      control: [{ ...aMachineClass(), secretRef: undefined }],
      note: 'secretRef is missing: name a Secret with the key "userData", which may be empty',
    },
    {
      what: 'a Secret without user data',
      control: [aMachineClass(), aSecret({ other: 'x' })],
      note: 'its Secret has no key "userData": add it, it may be empty',
    },
    {
      what: 'a Secret of another namespace',
      control: [aMachineClass({ secretRef: foreign }), aSecret()],
      note: 'secretRef.namespace: "garden" is not allowed: Secrets are read in shoot only',
    },
  ])('says $what', async ({ control, faults = [], note }) => {
    const world = aWorld({ control });
    await reportClass(world, { ref, faults, isEdited: true });
    expect(await noteIn(world)).toBe(note);
    const written = note === undefined ? [] : [`PATCH ${path}`, `POST ${events}`];
    expect(world.control.writes()).toEqual(written);
    // Its own annotation is no reason to write again.
    await reportClass(world, { ref, faults, isEdited: true });
    expect(world.control.writes()).toEqual(written);
  });

  test('does not read a Secret of another namespace, nor one of its name', async () => {
    const { control, ...world } = aWorld({
      control: [
        aMachineClass({ secretRef: foreign }),
        aSecret(),
        aSecret({}, { namespace: foreign.namespace }),
      ],
    });
    await reportClass({ ...world, control }, { ref, faults: [], isEdited: true });
    expect(control.calls.filter((call) => call.includes('/secrets/'))).toEqual([]);
  });

  test('takes away what was said, with an Event', async () => {
    const metadata = { annotations: { [annotations.invalid]: 'old', other: 'stays' } };
    const world = aWorld({ control: [aMachineClass({ metadata }), aSecret()] });
    await reportClass(world, { ref, faults: [], isEdited: true });
    const stored = await world.control.read<MachineClass>(path);
    expect(stored.metadata.annotations).toEqual({ other: 'stays' });
    expect(world.control.bodies).toContainEqual(
      expect.objectContaining({ type: 'Normal', reason: 'ClassValid' }),
    );
  });

  test('a report on a class that meets a change of the class looks once more, and tells it once', async () => {
    const world = aWorld({ control: [aMachineClass(), aSecret()] });
    let isChanged = false;
    world.control.fault = ({ method }) => {
      if (method !== 'PATCH' || isChanged) return undefined;
      isChanged = true;
      world.control.put(aMachineClass({ metadata: { labels: { new: 'yes' } } }));
      return undefined;
    };
    await reportClass(world, { ref, faults: ['bad'], isEdited: true });
    expect(await noteIn(world)).toBe('bad');
    expect(world.control.writes()).toEqual([`PATCH ${path}`, `PATCH ${path}`, `POST ${events}`]);
  });

  test('names an annotation of ours that means nothing beside the ignored keys', async () => {
    const misspelt = { metadata: { annotations: { 'millwright.dev/invalidd': 'x' } } };
    const world = aWorld({ control: [aMachineClass(misspelt), aSecret()] });
    await reportClass(world, { ref, faults: [], warnings: ['a key'], isEdited: true });
    const { metadata } = await world.control.read<MachineClass>(path);
    expect(metadata.annotations?.[annotations.ignoredKeys]).toBe(
      'annotation "millwright.dev/invalidd" means nothing: did you mean millwright.dev/invalid?\na key',
    );
  });

  test('names ignored keys in an annotation of their own, once, and takes it away', async () => {
    const world = aWorld({ control: [aMachineClass(), aSecret()] });
    const warnings = [
      'providerSpec.machinType is not a field and is ignored; did you mean machineType?',
    ];
    const ignoredKeys = async (): Promise<unknown> =>
      (await world.control.read<MachineClass>(path)).metadata.annotations?.[
        annotations.ignoredKeys
      ];
    await reportClass(world, { ref, faults: [], warnings, isEdited: true });
    await reportClass(world, { ref, faults: [], warnings, isEdited: true });
    expect(await ignoredKeys()).toBe(warnings[0]);
    expect(await noteIn(world)).toBeUndefined();
    expect(world.control.bodies).toContainEqual(
      expect.objectContaining({ type: 'Warning', reason: 'KeysIgnored', message: warnings[0] }),
    );
    await reportClass(world, { ref, faults: [], isEdited: true });
    expect(await ignoredKeys()).toBeUndefined();
    const written = [`PATCH ${path}`, `POST ${events}`];
    expect(world.control.writes()).toEqual([...written, ...written]);
  });

  test('of one that is gone is nothing', async () => {
    const world = aWorld();
    await reportClass(world, { ref, faults: ['bad'], isEdited: true });
    expect(world.control.writes()).toEqual([]);
  });
});
