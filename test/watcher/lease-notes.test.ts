import type { CertificateEnd } from '../../kube/objects/certificate-ends.ts';
import type { InstallNote } from '../../kube/objects/install-note.ts';
import { installAnnotation, readInstallNote } from '../../kube/objects/install-note.ts';
import { LeaseNotes } from '../../watcher/lease-notes.ts';

const file = '/etc/millwright/temporal-tls/tls.crt';
const ends: CertificateEnd[] = [{ file, until: Date.parse('2026-12-01') }];
const nothing = { checkpoint: undefined, stoppedSince: undefined, targetAwaySince: undefined };
const names = {
  certificates: 'millwright.dev/certificates',
  checkpoint: 'millwright.dev/checkpoint',
  restored: 'millwright.dev/restored',
};

const install: InstallNote = {
  cluster: 'uid',
  name: 'pools',
  isFleet: false,
  temporal: { address: 'temporal:7233', namespace: 'machines', id: 'database' },
};

const notesWith = (certificates: readonly CertificateEnd[]) =>
  new LeaseNotes({
    scope: { place: 'queue' },
    install: () => install,
    certificates: () => certificates,
  });

test('which install leads, and where its Temporal is', () => {
  const { [installAnnotation]: noted } = notesWith([]).annotations(undefined, nothing);
  expect(readInstallNote(noted ?? '')).toEqual(install);
});

test.each([undefined, '', 'null', '[]', '{"cluster":7}', '{"cluster":"a","name":"b"}'])(
  'a note of an install that is damaged counts as absent: %s',
  (text) => expect(readInstallNote(text)).toBeUndefined(),
);

test('the ends of certificates go with each write, and go away with the last certificate', () => {
  expect(notesWith(ends).annotations(undefined, nothing)).toMatchObject({
    [names.certificates]: `[{"file":"${file}","until":"2026-12-01T00:00:00.000Z"}]`,
  });
  expect(notesWith([]).annotations(undefined, nothing)).toMatchObject({
    [names.certificates]: null,
  });
});

test('a term that begins because of a restore notes it, and drops the checkpoint before it', () => {
  const doubt = 'the Lease is in an older state than before: its database was restored';
  const notes = notesWith([]);
  notes.takeOver({ annotations: {}, renewedAt: undefined }, doubt);
  expect(notes.annotations(doubt, nothing)).toMatchObject({
    [names.checkpoint]: null,
    [names.restored]: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  notes.takeOver({ annotations: {}, renewedAt: undefined }, undefined);
  const annotations = notes.annotations(undefined, nothing);
  expect(annotations).not.toHaveProperty(names.checkpoint);
  expect(annotations).not.toHaveProperty(names.restored);
});

describe('a checkpoint of another install, or of another Temporal,', () => {
  const foreign = { [names.checkpoint]: '{"scope":"other","machines":"7"}' };
  const own = JSON.stringify({ scope: 'queue' });

  test.each([undefined, 'no leader for 90 s'])(
    'makes way with the first write, so that workers know whose watcher leads (doubt: %s)',
    (doubt) => {
      const notes = notesWith([]);
      notes.takeOver({ annotations: foreign, renewedAt: undefined }, doubt);
      expect(notes.annotations(doubt, nothing)).toMatchObject({ [names.checkpoint]: own });
    },
  );

  test('is not written again in the place of the one that came after it', () => {
    const notes = notesWith([]);
    notes.takeOver({ annotations: foreign, renewedAt: undefined }, undefined);
    const checkpoint = { machines: '9' };
    expect(notes.annotations(undefined, { ...nothing, checkpoint })).toMatchObject({
      [names.checkpoint]: '{"scope":"queue","machines":"9"}',
    });
    expect(notes.annotations(undefined, nothing)).not.toHaveProperty(names.checkpoint);
  });
});
