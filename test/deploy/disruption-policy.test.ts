import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { windowsAt } from '../../activities/disruption/calendar.ts';
import { faultsOf } from '../../activities/disruption/faults.ts';
import type { DisruptionPolicy } from '../../workflows/api/disruption-policy.ts';
import { schemaFaults } from '../support/api-server/crd-schema.ts';
import { acceptedPolicies } from '../workflows/api/policy-manifests.ts';

interface Schema {
  description?: string;
  title?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  maxItems?: number;
}

interface Crd {
  spec: { versions: [{ schema: { openAPIV3Schema: Schema } }] };
}

const deploy = new URL('../../deploy/', import.meta.url);
const textOf = (file: string): string => readFileSync(new URL(file, deploy), 'utf8');
const crd: Crd = parse(textOf('crds/millwright.dev_disruptionpolicies.yaml'));
const schema = crd.spec.versions[0].schema.openAPIV3Schema;

const examples = readdirSync(new URL('examples/', deploy)).filter((file) =>
  file.includes('disruption'),
);

/** Paths of all fields, but for metadata and what a LabelSelector has. */
function pathsIn({ properties = {}, items }: Schema, at = ''): string[] {
  if (items) return pathsIn(items, at);
  return Object.entries(properties).flatMap(([name, field]) => {
    const here = at === '' ? name : `${at}.${name}`;
    return name === 'metadata' ? [] : [here, ...pathsIn(field, here)];
  });
}

function schemaAt(path: string): Schema {
  return path
    .split('.')
    .reduce((at: Schema, name) => (at.items ?? at).properties?.[name] ?? {}, schema);
}

function valueAt(object: unknown, path: string): unknown {
  return path.split('.').reduce((at: unknown, name) => {
    const one: unknown = Array.isArray(at) ? Object.assign({}, ...at) : at;
    return Object(one)[name];
  }, object);
}

test('every field is described', () => {
  const bare = pathsIn(schema).filter((path) => !schemaAt(path).description);
  expect(bare).toEqual([]);
});

test('every-field-disruptionpolicy.yaml shows every field', () => {
  const example: DisruptionPolicy = parse(textOf('examples/every-field-disruptionpolicy.yaml'));
  expect(pathsIn(schema).filter((path) => valueAt(example, path) === undefined)).toEqual([]);
});

test('docs/disruption.md says how many windows and exclusions there may be', () => {
  const page = textOf('../docs/disruption.md');
  const { windows, exclusions } = schemaAt('spec').properties ?? {};
  expect(page).toContain(
    `at most ${windows?.maxItems} windows and ${exclusions?.maxItems} exclusions`,
  );
});

test('docs/disruption.md has a row for every field of the spec', () => {
  const page = textOf('../docs/disruption.md');
  const rows = [...page.matchAll(/^\| `([\w.[\]]+)` +\|/gm)].map(([, name = '']) => name);
  const leaves = pathsIn(schema)
    .filter((path) => path.startsWith('spec.') && !path.startsWith('spec.selector.'))
    .filter(
      (path) =>
        (schemaAt(path).items ?? schemaAt(path)).properties === undefined ||
        path === 'spec.selector',
    )
    .map((path) => path.slice('spec.'.length));
  expect(rows.map((name) => name.replace('[]', ''))).toEqual(expect.arrayContaining(leaves));
});

describe('deploy/examples', () => {
  test('has policies', () => {
    expect(examples.length).toBeGreaterThanOrEqual(3);
  });

  test.each(examples)('%s can be followed', (file) => {
    const policy: DisruptionPolicy = parse(textOf(`examples/${file}`));
    expect(schemaFaults(schema, policy)).toEqual([]);
    expect(faultsOf(policy)).toEqual([]);
  });

  test('every-field-disruptionpolicy.yaml says what the calendar says', () => {
    const { spec, status }: DisruptionPolicy = parse(
      textOf('examples/every-field-disruptionpolicy.yaml'),
    );
    const { isOpen, until, why } = windowsAt(spec, Date.parse('2026-12-12T06:31:00Z'));
    expect([isOpen, new Date(until ?? 0).toISOString(), why]).toEqual([
      status?.open,
      status?.until?.replace('Z', '.000Z'),
      status?.message,
    ]);
  });
});

test.each(acceptedPolicies)('what the CRD takes can be followed: $name', ({ object }) => {
  const policy: DisruptionPolicy = JSON.parse(JSON.stringify(object));
  expect(faultsOf(policy)).toEqual([]);
});
