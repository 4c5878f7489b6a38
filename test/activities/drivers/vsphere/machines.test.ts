/** What becomes of a class in the vCenter, and whose a machine there is. */
import { textOf, typeOf, xml } from '../../../../activities/drivers/vsphere/vcenter/xml.ts';
import { VsphereClient, within } from '../../../../activities/drivers/vsphere/vcenter/client.ts';
import { credentialsOf } from '../../../../activities/drivers/vsphere/credentials.ts';
import { devicesOf, type VirtualMachine } from '../../../../activities/drivers/vsphere/machine.ts';
import { optionsOf } from '../../../../activities/drivers/vsphere/make.ts';
import { HandSystem } from '../../../support/hand-system.ts';
import { failureOf } from '../failure-of.ts';
import { createdBy, deletedBy, pendingOf } from '../following.ts';
import { aSecret, aSpec, aVsphereWorld, vsphereRequest } from './vsphere-world.ts';

const world = await aVsphereWorld();
const driver = world.aDriver();
const { signal } = new AbortController();

async function made(name: string, spec: object = {}, more: object = {}): Promise<VirtualMachine> {
  const providerSpec = { ...aSpec, ...spec };
  await createdBy(driver, vsphereRequest(name, { providerSpec, ...more }));
  const [machine, ...others] = await world.machines(name);
  if (!machine || others.length > 0) throw new Error(`${name} is not there once`);
  return machine;
}

function optionIn({ values }: VirtualMachine, key: string): string | undefined {
  const options = values['config.extraConfig']?.children ?? [];
  const found = options.find((one) => textOf(one, 'key') === key);
  return found && textOf(found, 'value');
}

const decoded = (text = ''): string => Buffer.from(text, 'base64').toString();

const read = async (machine: VirtualMachine, path: string): Promise<string> => {
  const values = await world.client.read(machine.vm, [path], signal);
  return values?.[path]?.text ?? '';
};

/** When nothing is young any more. */
const later = new HandSystem();
await later.to(Date.now() - Date.UTC(2026, 0, 1) + 600_000);

describe('a machine', () => {
  test('has what its class says', async () => {
    const machine = await made('m-plain', {
      numCpus: 3,
      memory: 2048,
      systemDisk: { size: 20 },
      guestId: 'ubuntu64Guest',
      extraConfig: { 'sched.swap.vmxSwapEnabled': 'FALSE' },
      memoryReservationLockedToMax: true,
    });
    expect(await read(machine, 'config.hardware.numCPU')).toBe('3');
    expect(await read(machine, 'config.hardware.memoryMB')).toBe('2048');
    expect(await read(machine, 'config.guestId')).toBe('ubuntu64Guest');
    expect(await read(machine, 'config.version')).toBe('vmx-15');
    expect(await read(machine, 'config.flags.diskUuidEnabled')).toBe('true');
    expect(optionIn(machine, 'sched.swap.vmxSwapEnabled')).toBe('FALSE');
    const disk = devicesOf(machine).find((one) => typeOf(one) === 'VirtualDisk');
    expect(textOf(disk, 'capacityInKB')).toBe(String(20 * 1_048_576));
    const card = devicesOf(machine).find((one) => textOf(one, 'macAddress') !== '');
    expect(textOf(card, 'backing.port.portgroupKey')).not.toBe('');
  });

  test('says whose it is, in options that its guest cannot change', async () => {
    const machine = await made('m-owner');
    expect(machine.tags).toEqual({
      ...aSpec.tags,
      'millwright.cluster': 'cluster-1',
      'millwright.namespace': 'shoot',
      'millwright.machine-uid': 'uid-of-m-owner',
      'millwright.token': 'uid-of-m-owner-0',
    });
  });

  test('gets user data and its name by guestinfo where the template offers nothing else', async () => {
    const userData = '#cloud-config\nhostname: "x & <y>"\n';
    const machine = await made('m-cloud-init', {}, { userData });
    expect(decoded(optionIn(machine, 'guestinfo.userdata'))).toBe(userData);
    expect(optionIn(machine, 'guestinfo.userdata.encoding')).toBe('base64');
    expect(JSON.parse(decoded(optionIn(machine, 'guestinfo.metadata')))).toEqual({
      'instance-id': 'uid-of-m-cloud-init-0',
      'local-hostname': 'm-cloud-init',
    });
  });

  test('gets bytes as they are', async () => {
    const userDataBytes = Uint8Array.of(0x1f, 0x8b, 0, 255);
    const machine = await made('m-bytes', {}, { userData: '', userDataBytes });
    const text = optionIn(machine, 'guestinfo.userdata') ?? '';
    expect(Buffer.from(text, 'base64')).toEqual(Buffer.from(userDataBytes));
    expect(optionIn(machine, 'guestinfo.userdata.encoding')).toBe('gzip+base64');
  });

  test('gets Ignition that holds the user data where its guest reads that', async () => {
    const spec = { guestId: 'coreos64Guest', sshKeys: ['ssh-rsa AAAA me'] };
    const machine = await made('m-ignition', spec);
    const ignition = JSON.parse(decoded(optionIn(machine, 'guestinfo.ignition.config.data')));
    expect(ignition.passwd.users[0].sshAuthorizedKeys).toEqual(['ssh-rsa AAAA me']);
    const [hostname, file] = ignition.storage.files;
    expect(hostname.contents.source).toBe('data:,m-ignition');
    expect(file.path).toBe('/var/lib/coreos-install/user_data');
    expect(decoded(file.contents.source.split('base64,')[1])).toBe('#cloud-config\nhostname: x\n');
  });

  test('gets Ignition as it is where the user data is that', async () => {
    const userData = '{"ignition":{"version":"3.3.0"}}';
    const machine = await made('m-ready', { guestId: 'other4xLinux64Guest' }, { userData });
    expect(decoded(optionIn(machine, 'guestinfo.ignition.config.data'))).toBe(userData);
  });

  test('gets keys in what cloud-init reads, and a script beside them', async () => {
    const sshKeys = ['ssh-rsa AAAA me'];
    const machine = await made('m-script', { sshKeys }, { userData: '#!/bin/sh\necho\n' });
    const text = decoded(optionIn(machine, 'guestinfo.userdata'));
    expect(text).toContain(`content: ${Buffer.from('#!/bin/sh\necho\n').toString('base64')}`);
    expect(text).toMatch(/\nssh_authorized_keys:\n- "ssh-rsa AAAA me"\n$/);
  });

  test('that has been made once is switched on again, and not configured again', async () => {
    const machine = await made('m-off');
    await world.task('PowerOffVM_Task', machine.vm);
    const again = await made('m-off', { guestId: 'ubuntu64Guest' });
    expect(again).toMatchObject({ ref: machine.ref, isOn: true });
    expect(await read(again, 'config.guestId')).not.toBe('ubuntu64Guest');
  });
});

describe('the places that a class names', () => {
  test.each([
    ['host', { computeCluster: '', hostSystem: 'DC0_C0_H1' }],
    ['path of a host', { computeCluster: '', hostSystem: '/DC0/host/DC0_C0/DC0_C0_H1' }],
    ['resource pool', { computeCluster: '', resourcePool: 'DC0_C0/Resources' }],
    ['ordinary network', { network: 'VM Network' }],
    ['vCenter with one datacenter', { datacenter: '' }],
    ['path of a template', { templateVM: '/DC0/vm/DC0_H0_VM0' }],
  ])('can be a %s', async (name, spec) => {
    const machine = await made(`p-${name.replaceAll(' ', '-').toLowerCase()}`, spec);
    expect(machine.isOn).toBe(true);
  });

  test('can be a datastore cluster, in which the vCenter chooses', async () => {
    const providerSpec = { ...aSpec, datastore: '', datastoreCluster: 'DC0_POD0' };
    // The simulator takes the question, and never has an answer to it.
    const create = driver.createInstance(vsphereRequest('p-pod', { providerSpec }));
    expect(await failureOf(create)).toMatchObject({
      code: 'ResourceExhausted',
      kind: 'capacity',
      settled: true,
      message: 'vSphere: no datastore of DC0_POD0 has room for p-pod',
    });
  });

  test.each([
    ['templateVM', { templateVM: 'none' }, 'there is no VirtualMachine at /DC0/vm/none'],
    ['datastore', { datastore: 'none' }, 'there is no Datastore at /DC0/datastore/none'],
    ['hostSystem', { hostSystem: 'none' }, 'there is no HostSystem at /DC0/host/none'],
    ['network', { network: 'LocalDS_0' }, 'at /DC0/network/LocalDS_0'],
    ['folder', { folder: 'none' }, 'there is no folder /DC0/vm/none'],
  ])('that are not there are a fault of the class: %s', async (field, spec, words) => {
    const request = vsphereRequest('p-none', { providerSpec: { ...aSpec, ...spec } });
    const failure = await failureOf(driver.createInstance(request));
    expect(failure).toMatchObject({
      code: 'InvalidArgument',
      kind: 'input',
      settled: true,
      message: expect.stringContaining(`providerSpec.${field}: `),
    });
    expect(failure.message).toContain(words);
  });

  test('cannot make a disk smaller than that of the template', async () => {
    const template = await made('p-template', { systemDisk: { size: 30 } });
    const spec = { ...aSpec, templateVM: template.name, systemDisk: { size: 10 } };
    const failure = await failureOf(
      driver.createInstance(vsphereRequest('p-small', { providerSpec: spec })),
    );
    expect(failure).toMatchObject({
      code: 'InvalidArgument',
      settled: true,
      message: "providerSpec.systemDisk.size: 10 GiB is smaller than the template's 30",
    });
  });
});

describe('a machine that goes', () => {
  test('leaves the disks of PersistentVolumes', async () => {
    const machine = await made('d-volumes');
    const file = '[LocalDS_0] volumes/pv.vmdk';
    const controller = devicesOf(machine).find((one) => typeOf(one) === 'VirtualDisk');
    const backing = xml('backing', [xml('fileName', file), xml('diskMode', 'persistent')], {
      'xsi:type': 'VirtualDiskFlatVer2BackingInfo',
    });
    const device = xml(
      'device',
      [
        xml('key', -1),
        backing,
        xml('controllerKey', textOf(controller, 'controllerKey')),
        xml('unitNumber', 9),
        xml('capacityInKB', 1024),
      ],
      { 'xsi:type': 'VirtualDisk' },
    );
    const added = [xml('operation', 'add'), xml('fileOperation', 'create'), device];
    const change = xml('deviceChange', added, { 'xsi:type': 'VirtualDeviceConfigSpec' });
    await world.client.call('MakeDirectory', {
      what: 'make a folder',
      of: 'fileManager',
      args: [
        xml('name', '[LocalDS_0] volumes'),
        xml('datacenter', (await world.client.find('/DC0', signal))?.value ?? '', {
          type: 'Datacenter',
        }),
      ],
      signal,
    });
    await world.task('ReconfigVM_Task', machine.vm, [xml('spec', [change])]);
    const isThere = async (path: string): Promise<boolean> => {
      const url = new URL(`/folder/${path}?dcPath=DC0&dsName=LocalDS_0`, world.vcsim.url);
      return (await fetch(url, { method: 'HEAD' })).ok;
    };
    const own = textOf(controller, 'backing.fileName').replace(/^\[LocalDS_0\] /, '');
    const files = async () => [await isThere('volumes/pv.vmdk'), await isThere(own)];
    expect(await files()).toEqual([true, true]);
    expect(await deletedBy(driver, vsphereRequest('d-volumes'))).toEqual({ found: true });
    expect(await files()).toEqual([true, false]);
  });

  test('may be off already', async () => {
    const machine = await made('d-off');
    await world.task('PowerOffVM_Task', machine.vm);
    expect(await deletedBy(driver, vsphereRequest('d-off'))).toEqual({ found: true });
    expect(await world.machines('d-off')).toEqual([]);
  });
});

const listing = {
  cluster: 'cluster-1',
  namespace: 'shoot',
  providerSpec: aSpec,
  secret: aSecret,
  signal,
};

async function cloneByHand(source: VirtualMachine, name: string, options = {}): Promise<void> {
  const folder = await world.client.find('/DC0/vm', signal);
  const pool = await world.client.find('/DC0/host/DC0_C0/Resources', signal);
  const place = [xml('pool', pool?.value ?? '', { type: 'ResourcePool' })];
  const args = [
    xml('folder', folder?.value ?? '', { type: 'Folder' }),
    xml('name', name),
    xml('spec', [
      xml('location', place),
      xml('template', false),
      xml('config', optionsOf(options)),
      xml('powerOn', false),
    ]),
  ];
  await world.task('CloneVM_Task', source.vm, args);
}
async function attribute(name: string, key: string, value: string): Promise<void> {
  const [machine] = await world.machines(name);
  const args = [
    xml('entity', machine?.vm.value ?? '', { type: 'VirtualMachine' }),
    xml('key', machine?.attributeKeys[key] ?? ''),
    xml('value', value),
  ];
  await world.client.call('SetField', { what: 'x', of: 'customFieldsManager', args, signal });
}

describe('whose a machine is', () => {
  test('is written anew at an adoption, where that is allowed', async () => {
    const { ref } = await made('w-moved', {}, { cluster: 'cluster-2' });
    const providerID = `vsphere://eu-1/${ref}`;
    const retagging = world.aDriver({}, { allowsRetagging: true });
    await createdBy(retagging, vsphereRequest('w-moved', { providerID }));
    const isOurs = async (): Promise<VirtualMachine> => {
      const [machine] = await world.machines('w-moved');
      return machine?.tags['millwright.cluster'] === 'cluster-1' ? machine : await isOurs();
    };
    expect((await isOurs()).tags).toMatchObject({ 'millwright.namespace': 'shoot' });
  });

  test('is said by its options: others of the cluster or namespace are not listed', async () => {
    const one = await made('w-ours');
    await made('w-cluster', {}, { cluster: 'cluster-2' });
    const found = await driver.listInstances(listing);
    expect(found).toContainEqual({
      providerID: `vsphere://eu-1/${one.ref}`,
      machineName: 'w-ours',
      token: 'uid-of-w-ours-0',
      createdAt: expect.any(Number),
    });
    expect(found.map(({ machineName }) => machineName)).not.toContain('w-cluster');
    expect(found.map(({ machineName }) => machineName)).not.toContain('DC0_C0_RP0_VM0');
  });

  test('does not change with a clone that somebody made by hand, with all options', async () => {
    const source = await made('w-source');
    const options = source.values['config.extraConfig']?.children ?? [];
    const copied = options.map((one) => [textOf(one, 'key'), textOf(one, 'value')]);
    await cloneByHand(source, 'w-copy', Object.fromEntries(copied));
    const found = await driver.listInstances(listing);
    expect(found.map(({ machineName }) => machineName)).not.toContain('w-copy');
    const [copy] = await world.machines('w-copy');
    const providerID = `vsphere://eu-1/${copy?.ref}`;
    expect(await driver.deleteListed({ ...listing, providerID })).toEqual({ found: false });
  });

  test('of MCM is said by the attributes of cluster and role, in either spelling', async () => {
    const source = await made('w-first');
    await cloneByHand(source, 'w-mcm');
    await attribute('w-mcm', 'mcm.gardener.cloud/cluster', 'shoot');
    await attribute('w-mcm', 'mcm.gardener.cloud/role', 'node');
    const names = async (tags: object) => {
      const providerSpec = { ...aSpec, tags };
      const found = await driver.listInstances({ ...listing, providerSpec });
      return found.map(({ machineName }) => machineName);
    };
    expect(await names(aSpec.tags)).toContain('w-mcm');
    const old = { 'kubernetes.io/cluster/shoot': '1', 'kubernetes.io/role/node': '1' };
    expect(await names(old)).toContain('w-mcm');
    expect(await names({ 'kubernetes.io/cluster/shoot': '1' })).not.toContain('w-mcm');
    expect(await driver.createInstance(vsphereRequest('w-mcm'))).toMatchObject({ found: true });
    expect(await deletedBy(driver, vsphereRequest('w-mcm'))).toEqual({ found: true });
  });

  test('that machine-controller made is of the Machine that names it, in the folder of the class', async () => {
    const tags = {
      'mcm.gardener.cloud/cluster': 'x',
      'mcm.gardener.cloud/role': 'machine-controller',
    };
    const providerSpec = { ...aSpec, tags };
    await cloneByHand(await made('w-source-2'), 'w-taken');
    const [machine] = await world.machines('w-taken');
    const providerID = `vsphere://${machine?.ref}`;
    const request = vsphereRequest('w-taken', { providerSpec, providerID });
    const ofOthers = [
      vsphereRequest('w-taken', { providerID }),
      vsphereRequest('w-other-name', { providerSpec, providerID }),
      vsphereRequest('w-taken', { providerSpec: { ...providerSpec, folder: 'none' }, providerID }),
    ];
    for (const other of ofOthers) {
      expect(await failureOf(driver.describeInstance(other))).toMatchObject({
        code: 'FailedPrecondition',
      });
    }
    const found = await driver.listInstances({ ...listing, providerSpec });
    expect(found.map(({ machineName }) => machineName)).not.toContain('w-taken');
    expect(await driver.createInstance(request)).toMatchObject({ found: true });
    expect(await deletedBy(driver, request)).toEqual({ found: true });
    expect(await world.machines('w-taken')).toEqual([]);
  });

  test('of a stranger with the name of a Machine is neither taken nor deleted', async () => {
    const source = await made('w-other');
    await cloneByHand(source, 'w-stranger');
    const request = vsphereRequest('w-stranger');
    // It may be what a lost create made, whose options are not there yet.
    const young = await pendingOf(driver.createInstance(request));
    expect(young.message).toBe('vSphere: instance w-stranger has no tags yet');
    await later.run(async () => {
      const failure = await failureOf(driver.createInstance(request));
      expect(failure).toMatchObject({ code: 'AlreadyExists', settled: true });
      expect(await deletedBy(driver, request)).toEqual({ found: false });
    });
    expect(await world.machines('w-stranger')).toHaveLength(1);
  });

  test('is deleted by its listing, and no other with it', async () => {
    const one = await made('w-orphan');
    const providerID = `vsphere://eu-1/${one.ref}`;
    const foreign = { ...listing, namespace: 'other', providerID };
    expect(await driver.deleteListed(foreign)).toEqual({ found: false });
    expect(await driver.deleteListed({ ...listing, providerID })).toEqual({ found: true });
    expect(await world.machines('w-orphan')).toEqual([]);
  });

  test('is listed in full where one answer of the vCenter does not hold all', async () => {
    await made('w-many-1');
    await made('w-many-2');
    const env = { MILLWRIGHT_VSPHERE_ENDPOINT: world.vcsim.url };
    const credentials = credentialsOf(aSecret, env);
    const options = { credentials, env, callTimeoutSeconds: 600, pageSize: 1 };
    const client = new VsphereClient(options);
    const folder = await client.find('/DC0/vm', signal);
    if (!folder) throw new Error('vcsim has no folder');
    const objects = [within(folder, 'childEntity')];
    const selection = { objects, paths: { VirtualMachine: ['name'] } };
    const all = await world.client.retrieve(selection, { what: 'list', signal });
    expect(await client.retrieve(selection, { what: 'list', signal })).toEqual(all);
    expect(all.length).toBeGreaterThan(2);
    await client.close();
  });

  test('is not to be said where the folder of the class is gone', async () => {
    const providerSpec = { ...aSpec, folder: 'gone' };
    const failure = await failureOf(driver.listInstances({ ...listing, providerSpec }));
    expect(failure).toMatchObject({ message: 'vSphere: there is no folder /DC0/vm/gone to list' });
  });
});
