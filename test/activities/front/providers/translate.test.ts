/** The interpreter of the tables, with a table that has each kind of row. */
import { FieldFault, type ProviderTable } from '../../../../activities/front/providers/table.ts';
import { translate, translateBack } from '../../../../activities/front/providers/translate.ts';
import { defaultPool as pool } from './golden.ts';

const table: ProviderTable = {
  cloudProvider: 'toy',
  provider: 'Toy',
  rows: [
    { theirs: 'password', secret: 'key', env: 'TOY_PASSWORD', required: 'write one' },
    { theirs: 'size', ours: 'machine.size', env: 'TOY_SIZE', default: 'small' },
    { theirs: 'region', ours: 'region', required: 'write a region' },
    {
      theirs: 'disk.sizeGB',
      ours: 'disks.0.bytes',
      to: (value: unknown) => {
        if (typeof value !== 'number') throw new FieldFault('is not a number');
        return value * 1_000;
      },
      back: (value: unknown) => Number(value) / 1_000,
    },
    { theirs: 'disk.kind', ours: 'disks.0.kind' },
    { theirs: 'options', ours: 'options' },
    { theirs: 'nested', refused: 'Toy cannot nest: remove it', harmless: [false] },
    { theirs: 'motto', ignored: 'no effect here' },
  ],
  more: ({ region }, { cluster }) => ({
    providerSpec: { tags: { [cluster]: String(region) }, disks: [{ boot: true }] },
    faults: region === 'moon' ? ['no cloud is there'] : [],
    ignored: region === 'sea' ? ['waves'] : [],
  }),
  moreBack: ({ tags }) => (tags === undefined ? {} : { options: { tagged: true } }),
  findsInstanceBy: { name: true },
};

const said = { password: 'secret', region: 'hill' };
const made = (spec: object, env: Record<string, string> = {}) =>
  translate(table, { ...spec }, { pool, env });

test('values, defaults, credentials, what was added and what has no effect', () => {
  const disk = { sizeGB: 5, kind: 'fast' };
  expect(made({ ...said, region: 'sea', disk, motto: 'x', options: { any: { y: 1 } } })).toEqual({
    provider: 'Toy',
    providerSpec: {
      region: 'sea',
      machine: { size: 'small' },
      disks: [{ bytes: 5_000, kind: 'fast', boot: true }],
      options: { any: { y: 1 } },
      tags: { example: 'sea' },
    },
    credentials: { key: 'secret' },
    faults: [],
    ignored: ['cloudProviderSpec.motto: no effect here', 'waves'],
  });
});

test.each<[string, object, string]>([
  ['a misspelt field', { regoin: 'x' }, 'regoin is not known: did you mean "region"?'],
  ['another field', { colour: 'red' }, 'colour is not known: remove it'],
  ['a misspelt field within', { disk: { sizeGb: 5 } }, 'disk.sizeGb is not known: did you mean'],
  ['one called as a prototype', JSON.parse('{"__proto__": {"a": 1}}'), '__proto__ is not known'],
  ['none where one is needed', { region: '' }, 'region is missing: write a region'],
  ['null where one is needed', { region: null }, 'region is missing: write a region'],
  ['a credential that is missing', { password: '' }, 'password is missing: write one'],
  ['a value that cannot be said', { disk: { sizeGB: 'x' } }, 'disk.sizeGB "x" is not a number'],
  ['a refused field', { nested: true }, 'nested "true" cannot be said: Toy cannot nest: remove it'],
])('%s is one fault', (_name, change, fault) => {
  // Not by spreading, which would set a prototype.
  const spec = Object.fromEntries([...Object.entries(said), ...Object.entries(change)]);
  expect(made(spec).faults).toEqual([expect.stringContaining(`cloudProviderSpec.${fault}`)]);
});

test('a fault of the table itself is no sentence', () => {
  const broken: ProviderTable = {
    ...table,
    rows: [{ theirs: 'region', ours: 'region', to: () => Object(undefined).a.b }],
  };
  expect(() => translate(broken, { region: 'x' }, { pool, env: {} })).toThrow(TypeError);
});

test.each([false, null, '', [], {}])('a refused field may be %j', (nested) => {
  expect(made({ ...said, nested }).faults).toEqual([]);
});

test('a variable counts where the field is empty, before the default, and for what is added', () => {
  const env = { TOY_PASSWORD: 'of-process', TOY_SIZE: 'large' };
  const { credentials, providerSpec } = made({ region: 'hill', password: '' }, env);
  expect([credentials, providerSpec['machine']]).toEqual([
    { key: 'of-process' },
    { size: 'large' },
  ]);
  const written = made({ ...said, size: 'tiny' }, env);
  expect([written.credentials, written.providerSpec['machine']]).toEqual([
    { key: 'secret' },
    { size: 'tiny' },
  ]);
});

test('what is read is not changed', () => {
  const spec = Object.freeze({ region: 'hill', disk: Object.freeze({ sizeGB: 5 }) });
  expect(() => made(spec, { TOY_PASSWORD: 'x' })).not.toThrow();
});

test('no value of a credential stands in a sentence, whatever it is', () => {
  const { faults, ignored, providerSpec } = made({ password: { value: 'canary' }, regoin: 'x' });
  expect(JSON.stringify([faults, ignored, providerSpec])).not.toContain('canary');
});

test('a value of a Secret is shown nowhere, not even the beginning of a long one', () => {
  const key = `-----BEGIN\n${'canary'.repeat(50)}`;
  const spec = { password: 'p', region: 'hill', nested: { key: [key] }, disk: { sizeGB: key } };
  const { faults } = translate(table, spec, { pool, env: {}, secrets: new Set([key]) });
  expect(faults.map((fault) => fault.slice(0, 40))).toEqual([
    'cloudProviderSpec.disk.sizeGB "***" is n',
    'cloudProviderSpec.nested "***" cannot be',
  ]);
});

test('the way back', () => {
  const disk = { sizeGB: 5, kind: 'fast' };
  const back = translateBack(table, made({ ...said, disk, motto: 'x' }));
  expect(back).toEqual({ ...said, size: 'small', disk, options: { tagged: true } });
  expect(translateBack(table, { providerSpec: {}, credentials: {} })).toEqual({});
});
