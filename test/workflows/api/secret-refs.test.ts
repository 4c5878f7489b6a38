import {
  secretNamespaceFaults,
  ownSecretsOf,
  protectedSecretsOf,
} from '../../../workflows/api/secret-refs.ts';

test.each([
  { when: 'none is named', refs: {}, own: [], faults: [] },
  { when: 'a name is empty', refs: { secretRef: { name: '' } }, own: [], faults: [] },
  {
    when: 'no namespace means that of the class',
    refs: { secretRef: { name: 'a' }, credentialsSecretRef: { name: 'b', namespace: '' } },
    own: ['secretRef a', 'credentialsSecretRef b'],
    faults: [],
  },
  {
    when: 'another namespace is refused',
    refs: {
      secretRef: { name: 'a', namespace: 'shoot' },
      credentialsSecretRef: { name: 'b', namespace: 'garden' },
    },
    own: ['secretRef a'],
    faults: [
      'credentialsSecretRef.namespace: "garden" is not allowed: Secrets are read in shoot only',
    ],
  },
  {
    when: 'another namespace is refused without a name, too',
    refs: { secretRef: { namespace: 'garden' } },
    own: [],
    faults: ['secretRef.namespace: "garden" is not allowed: Secrets are read in shoot only'],
  },
])('the Secrets of a class when $when', ({ refs, own, faults }) => {
  expect(ownSecretsOf(refs, 'shoot').map(({ field, name }) => `${field} ${name}`)).toEqual(own);
  expect(secretNamespaceFaults(refs, 'shoot')).toEqual(faults);
});

test('a class protects the Secrets that it names, also those of another namespace', () => {
  const refs = {
    secretRef: { name: 'a', namespace: 'garden' },
    credentialsSecretRef: { name: 'b' },
  };
  expect(protectedSecretsOf(refs)).toEqual(['a', 'b']);
  expect(protectedSecretsOf({ secretRef: { namespace: 'garden' } })).toEqual([]);
});
