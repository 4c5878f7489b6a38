import { CallCounters } from '../../../deploy/local/virtual-cloud/counters.ts';
import { newInstance, parseInstanceRequest } from '../../../deploy/local/virtual-cloud/instance.ts';
import type { Instance } from '../../../deploy/local/virtual-cloud/instance.ts';
import { defaultSettings } from '../../../deploy/local/virtual-cloud/settings.ts';

function anInstance(name: string, token: string): Instance {
  const request = parseInstanceRequest({ name, token });
  return newInstance(request, { settings: defaultSettings, fate: {}, ordinal: 0, now: 0 });
}

function countersAfter(creates: { outcome: string; instance: Instance }[]): CallCounters {
  const counters = new CallCounters();
  for (const [index, { outcome, instance }] of creates.entries()) {
    counters.apply({
      type: 'call',
      operation: 'create',
      seq: index + 1,
      at: 0,
      name: instance.name,
      outcome,
      ...(outcome === 'created' && { created: instance }),
    });
  }
  return counters;
}

test('a test sees the calls for its own names only', () => {
  const counters = countersAfter([
    { outcome: 'created', instance: anInstance('a-0', 't1') },
    { outcome: 'created', instance: anInstance('b-0', 't2') },
  ]);
  const report = counters.report((name) => name.startsWith('a-'));
  expect(report.operations).toEqual({ create: { created: 1 } });
  expect(report.createsPerName).toEqual({ 'a-0': 1 });
});

test('machines that vanished are told apart from those that were made twice', () => {
  const counters = countersAfter([{ outcome: 'created', instance: anInstance('a', 't') }]);
  counters.apply({ type: 'vanished', id: 'i', name: 'a', seq: 2, at: 0 });
  expect(counters.report(() => true)).toMatchObject({
    createsPerName: { a: 1 },
    vanishedPerName: { a: 1 },
  });
});

test('a token with two machines is an offender, whatever their names', () => {
  const [one, two] = [anInstance('a', 't'), anInstance('b', 't')];
  const counters = countersAfter([
    { outcome: 'created', instance: one },
    { outcome: 'created', instance: two },
  ]);
  expect(counters.report(() => true).machinesPerToken).toEqual({
    max: 2,
    offenders: { t: [one.id, two.id] },
  });
});
