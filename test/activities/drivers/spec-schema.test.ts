import { specCheck } from '../../../activities/drivers/spec-schema.ts';

const check = specCheck({
  type: 'object',
  required: ['region', 'disks'],
  properties: {
    region: { type: 'string', minLength: 1 },
    count: { type: 'integer', minimum: 1, maximum: 9 },
    name: { type: 'string', pattern: '^[a-z]+$', 'x-allowed': 'a name of lower-case letters' },
    kind: { enum: ['spot', 'block'] },
    password: { type: 'string', minLength: 12, 'x-secret': true },
    disks: {
      type: 'array',
      minItems: 1,
      items: { type: 'object', required: ['size'], properties: { size: { type: 'integer' } } },
    },
  },
});
const good = { region: 'r', disks: [{ size: 1 }] };

test('a good spec has no fault; null is absent and unknown fields are ignored', () => {
  expect(check(good)).toEqual([]);
  expect(check({ ...good, count: null, other: { deep: [null] } })).toEqual([]);
});

describe('a fault names field, value and what is allowed:', () => {
  test.each([
    [{}, ['providerSpec.region is missing', 'providerSpec.disks is missing']],
    [undefined, ['providerSpec.region is missing', 'providerSpec.disks is missing']],
    ['text', ['providerSpec: "text" is not an object']],
    [{ ...good, region: '' }, ['providerSpec.region: "" is not a non-empty string']],
    [{ ...good, region: 3 }, ['providerSpec.region: 3 is not a string: put it in quotes']],
    [{ ...good, count: 0 }, ['providerSpec.count: 0 is not 1 or more']],
    [{ ...good, count: 10 }, ['providerSpec.count: 10 is not 9 or less']],
    [{ ...good, count: 1.5 }, ['providerSpec.count: 1.5 is not a whole number']],
    [{ ...good, kind: 'x' }, ['providerSpec.kind: "x" is not one of spot, block']],
    [{ ...good, name: 'A' }, ['providerSpec.name: "A" is not a name of lower-case letters']],
    [{ ...good, disks: [] }, ['providerSpec.disks: [] is not a list with at least 1 of them']],
    [{ ...good, disks: [{}] }, ['providerSpec.disks[0].size is missing']],
    [
      { ...good, disks: [{ size: '1' }] },
      ['providerSpec.disks[0].size: "1" is not a whole number'],
    ],
  ])('%j', (spec, faults) => {
    expect(check(spec)).toEqual(faults);
  });
});

describe('a fault does not show', () => {
  test.each([
    ['a secret that is too short', 'hunter2', 'a string of 7 characters (not shown)'],
    ['a secret that is a number', 48_151_623, 'a value of type number (not shown)'],
    ['a secret in an object', { value: 'hunter2' }, 'a value of type object (not shown)'],
  ])('%s', (_what, password, shown) => {
    const [fault, ...others] = check({ ...good, password });
    expect(fault).toContain(`providerSpec.password: ${shown} is not`);
    expect({ others, showsIt: /hunter2|48151623/.test(String(fault)) }).toEqual({
      others: [],
      showsIt: false,
    });
  });

  test('values inside a misplaced object are not shown', () => {
    expect(check({ ...good, region: { adminPassword: 'hunter2' } })).toEqual([
      'providerSpec.region: an object with adminPassword is not a string: put it in quotes',
    ]);
  });

  test('more than 64 characters of a value', () => {
    const [fault] = check({ ...good, name: 'A'.repeat(5_000) });
    expect(fault?.length).toBeLessThan(200);
  });
});
