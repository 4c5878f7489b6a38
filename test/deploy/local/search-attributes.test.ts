import { searchAttributes } from '../../../deploy/local/components/temporal.ts';
import { searchAttributes as used } from '../../../workflows/contracts/search-attributes.ts';

test('the local Temporal server knows every search attribute that the workflows set', () => {
  const upperCase = Object.entries(searchAttributes).map(([name, type]) => [
    name,
    type.toUpperCase(),
  ]);
  expect(Object.fromEntries(upperCase)).toEqual(used);
});
