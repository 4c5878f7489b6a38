/**
 * The modules of the workflow code are loaded once for all workflows of a process: a variable of a
 * module would be one for all of them, and differ when a run is replayed elsewhere.
 */
import { parseSync } from '@swc/core';
import type { Declaration, ModuleItem, NewExpression, VariableDeclarator } from '@swc/core';
import { readSource, sourcesIn } from '../layering/sources.ts';

const files = sourcesIn(['workflows']);

/** What a pure function answered of an object that nobody changes, and of that object alone. */
const memos = ['workflows/api/selector.ts: WeakMap'];

function stateIn(text: string): string[] {
  const { body } = parseSync(text, { syntax: 'typescript', target: 'es2024' });
  return body.flatMap(declarationIn).flatMap(changeableIn);
}

function declarationIn(item: ModuleItem): Declaration[] {
  if (item.type === 'ExportDeclaration') return [item.declaration];
  return item.type === 'VariableDeclaration' || item.type === 'ClassDeclaration' ? [item] : [];
}

function changeableIn(declaration: Declaration): string[] {
  if (declaration.type === 'ClassDeclaration') {
    return declaration.body.flatMap((member) =>
      member.type === 'ClassProperty' && member.isStatic && !member.readonly ? ['static'] : [],
    );
  }
  if (declaration.type !== 'VariableDeclaration') return [];
  const { kind, declarations } = declaration;
  return kind === 'const' ? declarations.flatMap(growingIn) : [kind];
}

/** An empty collection is made to be filled; others are tables. */
function growingIn({ init }: VariableDeclarator): string[] {
  if (init?.type === 'ArrayExpression') return init.elements.length > 0 ? [] : ['[]'];
  if (init?.type === 'ObjectExpression') return init.properties.length > 0 ? [] : ['{}'];
  return init?.type === 'NewExpression' ? collectionIn(init) : [];
}

/** Nobody changes one after its creation, or it is of the SDK. */
const constants = ['AsyncLocalStorage', 'DefaultFailureConverter', 'RegExp', 'Uint8Array', 'URL'];

function collectionIn({ callee, arguments: given }: NewExpression): string[] {
  const name = callee.type === 'Identifier' ? callee.value : '';
  const isEmpty = given === undefined || given.length === 0;
  const isCollection = /^(Weak)?(Map|Set)$/.test(name);
  // An instance of a class of ours may keep anything.
  return (isCollection ? isEmpty : !constants.includes(name)) ? [name] : [];
}

test.each([
  ['let count = 0;', ['let']],
  ['export let count = 0;', ['let']],
  ['var count;', ['var']],
  ['const seen = new Set<string>();', ['Set']],
  ['export const known = new WeakMap();', ['WeakMap']],
  ['const list: string[] = [];', ['[]']],
  ['const table: Record<string, string> = {};', ['{}']],
  ['class Counter { static count = 0; }', ['static']],
  ['export const counter = new Counter(1);', ['Counter']],
  [
    "const names = new Set(['a']); const list = ['a']; class Table { static readonly rows = 1 }",
    [],
  ],
  ['function count() { let sum = 0; return sum; }', []],
])('%j has %j', (text, expected) => {
  expect(stateIn(text)).toEqual(expected);
});

const statesOf = (name: string): string[] =>
  stateIn(readSource(name)).map((what) => `${name}: ${what}`);

test('no module of the workflow code has a variable, but for memos', () => {
  expect(files.length).toBeGreaterThan(50);
  expect(files.flatMap(statesOf)).toEqual(memos);
});

/**
 * What belongs to a namespace is in its `ActivityMemory`, and what belongs to the process in what
 * it makes at its start: a simulation has several processes in one.
 */
const kept: Readonly<Record<string, string>> = {
  'activities/disruption/dependencies.ts: SharedLists': 'keeps a list while it is read',
  'activities/disruption/schedule.ts: Recent': 'a memo of texts, which mean the same everywhere',
  'activities/disruption/time-zone.ts: Recent': 'a memo of texts, which mean the same everywhere',
  'activities/machine/meltdown.ts: SharedLists': 'keeps a list while it is read',
  'activities/machine/replacement.ts: SharedLists': 'keeps a list while it is read',
  'activities/drivers/before-create.ts: WeakSet': 'a mark on an error on its way up',
  'activities/drivers/vsphere/vcenter/xml.ts: XMLParser': 'keeps nothing of what it has read',
  'activities/machine-set/facts.ts: WeakMap': 'a memo of an object that nobody changes',
  'activities/redaction/secret-values.ts: SecretValues':
    'a secret must not stand in any log of the host',
  'activities/runtime/heartbeat-details.ts: WeakMap': 'of an attempt, by its context',
  'kube/client/served.ts: WeakMap': 'of a client: what its server serves, for a moment',
  'kube/objects/events.ts: WeakMap': 'of a client: who records an Event need not know the recorder',
  'watcher/cache/set-view.ts: []': 'is frozen by its type, and empty for ever',
  'workers/kube/clients.ts: WeakMap': 'of a client, which is the type of the SDK',
  'workers/metrics/computed.ts: {}': 'is frozen by its type, and empty for ever',
};

test('no module outside of workflow code has a variable, but for these reasons', () => {
  const found = sourcesIn(['activities', 'kube', 'watcher', 'workers']).flatMap(statesOf);
  expect([...new Set(found)].toSorted()).toEqual(Object.keys(kept).toSorted());
});
