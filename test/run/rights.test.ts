import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  auditedRequests,
  grantsOfChart,
  rightsFaults,
  seldom,
  unseen,
  type Grant,
} from './rights.ts';

const used = (user: string, request: string) => ({ user, request, isRefused: false });
const grants: Grant[] = [
  { role: 'core', request: 'get nodes', users: ['all', 'core'] },
  { role: 'core', request: 'list nodes', users: ['all', 'core'] },
  { role: 'drain', request: 'get nodes', users: ['all', 'drain'] },
];

describe('rights and what was asked for', () => {
  test('fit where every right was used', () => {
    const requests = [
      used('all', 'get nodes'),
      used('core', 'list nodes'),
      used('drain', 'get nodes'),
    ];
    expect(rightsFaults(grants, requests, {})).toEqual([]);
  });

  test('a right that two roles give has to be used by an identity of each', () => {
    const requests = [used('all', 'get nodes'), used('all', 'list nodes')];
    expect(rightsFaults(grants, requests, {})).toEqual(['granted and not used: drain: get nodes']);
  });

  test('what was refused is missing, however often', () => {
    const refused = { user: 'drain', request: 'patch nodes', isRefused: true };
    expect(rightsFaults([], [refused, refused], {})).toEqual(['refused: drain patch nodes']);
  });

  test('what was refused and is allowed in the same namespace was asked too early', () => {
    const allowed = { ...used('drain', 'patch nodes'), namespace: 'a' };
    const early = { ...allowed, isRefused: true };
    const missing = { ...early, namespace: 'b' };
    const ofOutage = { ...early, namespace: 'outage-a' };
    expect(rightsFaults([], [early, allowed, ofOutage], {})).toEqual([]);
    expect(rightsFaults([], [early, allowed, missing], {})).toEqual(['refused: drain patch nodes']);
    expect(rightsFaults([], [ofOutage], {})).toEqual(['refused: drain patch nodes']);
  });

  test('an exception goes with its reason', () => {
    const known = { 'core: get nodes': 'why', 'drain: get nodes': 'why' };
    const requests = [used('core', 'get nodes'), used('core', 'list nodes')];
    expect(rightsFaults(grants, requests, known)).toEqual([
      'test/run/rights.ts calls it unseen, and it is not granted or is used: core: get nodes',
    ]);
  });
});

function line(username: string, objectRef: object, decision = 'allow'): string {
  const annotations = { 'authorization.k8s.io/decision': decision };
  return JSON.stringify({ verb: 'patch', user: { username }, objectRef, annotations });
}

test('the audit log names who asked for what, and what RBAC refused', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'audit-')), 'audit.log');
  const status = { apiGroup: 'machine.sapcloud.io', resource: 'machines', subresource: 'status' };
  const lines = [
    line('millwright-core', status),
    line('millwright-core', status),
    line('admin', { resource: 'nodes' }),
    line('millwright-drain', { resource: 'nodes' }, 'forbid'),
    line('millwright-core', {}),
    '{"user":{"username":"millwright-',
  ];
  writeFileSync(file, lines.join('\n'));
  expect(await auditedRequests(file)).toEqual([
    used('millwright-core', 'patch machines.machine.sapcloud.io/status'),
    { user: 'millwright-drain', request: 'patch nodes', isRefused: true },
  ]);
});

test('each role of the chart has users in the local stack, and every exception is granted', () => {
  const granted = grantsOfChart();
  expect(granted.every(({ users }) => users.length > 0)).toBe(true);
  const rights = granted.map(({ role, request }) => `${role}: ${request}`);
  const exceptions = [...Object.keys(unseen), ...Object.keys(seldom)];
  expect(exceptions.filter((right) => !rights.includes(right))).toEqual([]);
  expect(rights).toContain('drain: patch machines.machine.sapcloud.io/status');
});
