import { fake } from '../../../../activities/front/providers/fake.ts';
import { validateProviderSpec } from '../../../../activities/drivers/virtual/validate.ts';
import { translate } from '../../../../activities/front/providers/translate.ts';
import { checkTable, defaultPool } from './golden.ts';

checkTable('fake', fake, {
  validate: validateProviderSpec,
  fields: ['passValidation'],
  said: { passValidation: true },
  refused: { passValidation: false },
  providerIDs: [['local:///a/i-1', { value: 'local:///a/i-1' }]],
});

test('a template that does not ask to pass is refused, as with them', () => {
  expect(translate(fake, {}, { pool: defaultPool, env: {} }).faults).toEqual([
    'cloudProviderSpec.passValidation is missing: machine-controller refuses this template, as it was asked to: write passValidation: true',
  ]);
});
