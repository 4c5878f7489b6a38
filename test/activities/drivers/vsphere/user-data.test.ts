/** User data by the properties of a template's vApp, which clones of the simulator do not have. */
import { machinesIn } from '../../../../activities/drivers/vsphere/machine.ts';
import { guestSettings } from '../../../../activities/drivers/vsphere/user-data.ts';
import { textOf, xml, written } from '../../../../activities/drivers/vsphere/vcenter/xml.ts';
import type { XmlElement } from '../../../../activities/drivers/vsphere/vcenter/xml.ts';
import { vsphereRequest } from './vsphere-world.ts';

function aMachine(properties: readonly string[], guestId = 'ubuntu64Guest') {
  const offered = properties.map((id, index) =>
    xml('property', [
      xml('key', index),
      xml('id', id),
      xml('userConfigurable', id !== 'fixed'),
      xml('defaultValue', id === 'seedfrom' ? 'nowhere' : ''),
    ]),
  );
  const values = {
    name: xml('val', 'u-1'),
    'config.guestId': xml('val', guestId),
    'config.vAppConfig': xml('val', offered),
  };
  const [machine] = machinesIn([{ ref: { type: 'VirtualMachine', value: 'vm-1' }, values }]);
  if (!machine) throw new Error('no machine');
  return machine;
}

const propertiesIn = (vApp: XmlElement | undefined): object =>
  Object.fromEntries(
    vApp?.children.map((one) => [textOf(one, 'info.id'), textOf(one, 'info.value')]) ?? [],
  );

const request = vsphereRequest('u-1', { userData: '#cloud-config\n' });
const encoded = Buffer.from('#cloud-config\n').toString('base64');

test('a template of Ubuntu gets host name and user data, and defaults for the rest', () => {
  const machine = aMachine(['hostname', 'user-data', 'password', 'seedfrom', 'fixed']);
  const { vApp, extraConfig } = guestSettings(machine, request, {});
  expect(propertiesIn(vApp)).toEqual({
    hostname: 'u-1',
    'user-data': encoded,
    password: ' ',
    seedfrom: 'nowhere',
  });
  expect(extraConfig).toEqual({});
  expect(vApp && written(vApp)).toContain(
    '<vAppConfig xsi:type="VmConfigSpec"><property><operation>edit</operation><info><key>0</key><id>hostname</id><userConfigurable>true</userConfigurable><value>u-1</value></info></property>',
  );
});

test('a template with a property for Ignition gets it there, as it is', () => {
  const key = 'guestinfo.ignition.config.data';
  const { vApp } = guestSettings(aMachine([key], 'other4xLinux64Guest'), request, {});
  const [[, text] = []] = Object.entries(propertiesIn(vApp));
  expect(JSON.parse(String(text))).toMatchObject({ ignition: { version: '2.1.0' } });
  expect(String(text)).toContain('/var/lib/flatcar-install/user_data');
});

test('properties of the class take the place of all that', () => {
  const vapp = { properties: { role: 'worker' } };
  const { vApp } = guestSettings(aMachine(['role', 'user-data']), request, { vapp });
  expect(propertiesIn(vApp)).toEqual({ role: 'worker', 'user-data': ' ' });
});

test('properties of the class that the template has not are a fault of the class', () => {
  const vapp = { properties: { role: 'worker', fixed: '1' } };
  expect(() => guestSettings(aMachine(['role', 'fixed']), request, { vapp })).toThrow(
    'Invalid value: providerSpec.vapp.properties: the vApp of the template has only role to be set, and not fixed',
  );
  expect(() => guestSettings(aMachine([]), request, { vapp })).toThrow('has none to be set');
});

test('keys cannot be added to user data that has some', () => {
  const own = vsphereRequest('u-1', { userData: 'ssh_authorized_keys: []\n' });
  expect(() => guestSettings(aMachine([]), own, { sshKeys: ['ssh-rsa A'] })).toThrow(
    'userdata already contains key',
  );
});
