/** A report on a driver holds no value of the Secret. */
import { withoutSecrets } from '../../../cli/driver/conformance/secrets.ts';

test('a value that is the beginning of another one does not save the rest of that', () => {
  const secret = { user: 'millwright', password: 'millwright-7x', region: 'eu' };
  expect(withoutSecrets('refused millwright-7x of millwright in eu', secret)).toBe(
    'refused <value of password> of <value of user> in eu',
  );
});
