import { badSpecsOf } from '../../../cli/driver/conformance/checks/bad-input.ts';

test('each bad spec has one field of another type, all others stay', () => {
  const bad = badSpecsOf({ zone: 'a', tags: { team: 'b' }, nothing: null }, []);
  expect(bad).toEqual([
    {
      field: 'zone',
      value: { verify: true },
      providerSpec: { zone: { verify: true }, tags: { team: 'b' }, nothing: null },
    },
    {
      field: 'tags',
      value: 'verify',
      providerSpec: { zone: 'a', tags: 'verify', nothing: null },
    },
  ]);
});

test('what a person names comes on top, with the first field as the one to be told', () => {
  expect(badSpecsOf({}, [{ size: 'huge', zone: 'b' }, {}])).toEqual([
    { field: 'size', value: 'huge', providerSpec: { size: 'huge', zone: 'b' } },
  ]);
});

test('of the many fields of a spec only some are tried', () => {
  const spec = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}`, 1]));
  expect(badSpecsOf(spec, [])).toHaveLength(5);
});
