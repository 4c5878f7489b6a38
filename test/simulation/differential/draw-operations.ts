/** Draws the operations of JSON patches. */
import type { Chance } from '../engine/chance.ts';
import { keyOf } from './places.ts';
import type { Place } from './places.ts';

export function drawOperations(chance: Chance, place: Place): object[] {
  const key = keyOf(place);
  const choices = [
    { op: 'test', path: '/metadata/uid', value: `$uid:${key}` },
    { op: 'test', path: '/metadata/uid', value: 'another' },
    { op: 'test', path: '/metadata/resourceVersion', value: `$version:${key}` },
    { op: 'test', path: '/metadata/finalizers', value: ['x.y/one'] },
    { op: 'test', path: '/metadata/finalizers', value: null },
    { op: 'add', path: '/metadata/labels', value: { l: '1', m: 'x' } },
    { op: 'add', path: '/metadata/labels/l', value: '2' },
    { op: 'replace', path: '/metadata/labels/l', value: '3' },
    { op: 'remove', path: '/metadata/labels/l' },
    { op: 'remove', path: '/metadata/finalizers' },
    { op: 'remove', path: '/metadata/finalizers/0' },
    { op: 'add', path: '/metadata/finalizers', value: ['x.y/one', 'x.y/two'] },
    { op: 'add', path: '/metadata/finalizers/-', value: 'x.y/two' },
    { op: 'add', path: '/metadata/finalizers/0', value: 'x.y/one' },
    { op: 'add', path: '/metadata/annotations', value: { 'x.y/z': 'n' } },
    { op: 'copy', from: '/metadata/labels/l', path: '/metadata/labels/m' },
    { op: 'move', from: '/metadata/labels/l', path: '/metadata/labels/m' },
    { op: 'replace', path: '/metadata/annotations/x.y~1z', value: 'o' },
  ];
  return Array.from({ length: 1 + chance.below(3) }, () => chance.pick(choices));
}

/** On the status of one of our kinds, where a change of the metadata comes to nothing. */
export function drawStatusOperations(chance: Chance, place: Place): object[] {
  const choices = [
    { op: 'test', path: '/metadata/uid', value: `$uid:${keyOf(place)}` },
    { op: 'test', path: '/metadata/uid', value: 'another' },
    { op: 'add', path: '/status', value: { replicas: 5, conditions: [] } },
    { op: 'replace', path: '/status/replicas', value: 6 },
    { op: 'remove', path: '/status' },
  ];
  return Array.from({ length: 1 + chance.below(2) }, () => chance.pick(choices));
}
