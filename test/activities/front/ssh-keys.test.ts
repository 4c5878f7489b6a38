import { generateKeyPairSync, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { sshKeyFaults } from '../../../activities/front/ssh-keys.ts';

const field = (value: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(value.length);
  return Buffer.concat([length, value]);
};
const lineOf = (type: string, ...values: Buffer[]): string =>
  `${type} ${Buffer.concat([Buffer.from(type), ...values].map(field)).toString('base64')}`;
/** A number of SSH has a zero before a first bit that is set. */
const mpint = (text = ''): Buffer => {
  const bytes = Buffer.from(text, 'base64url');
  return (bytes[0] ?? 0) > 127 ? Buffer.concat([Buffer.alloc(1), bytes]) : bytes;
};

function pointOf(namedCurve: string): Buffer {
  const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve }).publicKey.export({
    format: 'jwk',
  });
  return Buffer.concat([
    Buffer.from([4]),
    Buffer.from(x, 'base64url'),
    Buffer.from(y, 'base64url'),
  ]);
}

/** A new key of each type. */
const makers: Record<string, () => string> = {
  'ssh-ed25519': () => {
    const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
    return lineOf('ssh-ed25519', Buffer.from(x, 'base64url'));
  },
  'sk-ssh-ed25519@openssh.com': () => {
    const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
    return lineOf('sk-ssh-ed25519@openssh.com', Buffer.from(x, 'base64url'), Buffer.from('ssh:'));
  },
  'ssh-rsa': () => {
    const { e, n } = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({
      format: 'jwk',
    });
    return lineOf('ssh-rsa', mpint(e), mpint(n));
  },
  ...Object.fromEntries(
    ['256', '384', '521'].map((bits) => [
      `ecdsa-sha2-nistp${bits}`,
      () => lineOf(`ecdsa-sha2-nistp${bits}`, Buffer.from(`nistp${bits}`), pointOf(`P-${bits}`)),
    ]),
  ),
  'sk-ecdsa-sha2-nistp256@openssh.com': () =>
    lineOf(
      'sk-ecdsa-sha2-nistp256@openssh.com',
      Buffer.from('nistp256'),
      pointOf('P-256'),
      Buffer.from('ssh:'),
    ),
  'ssh-dss': () => lineOf('ssh-dss', ...[128, 20, 128, 128].map((bytes) => randomBytes(bytes))),
};

test.each(Object.entries(makers))('new keys of %s are keys', (_type, make) => {
  const keys = Array.from({ length: 20 }, make);
  expect(sshKeyFaults(keys)).toEqual([]);
  expect(sshKeyFaults(keys.map((key) => `  ${key}\tAda Lovelace, 1815 \n`))).toEqual([]);
});

const one = Object.entries(makers).map(([type, make]) => ({ type, line: make() }));

test('a key that lost, got or changed something is none, and no sentence has its text', () => {
  const damages: ((blob: Buffer, at: number) => Buffer)[] = [
    (blob, at) => blob.subarray(0, at),
    (blob, at) => Buffer.concat([blob, blob.subarray(0, at + 1)]),
    (blob, at) => blob.subarray(at + 1),
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...one),
      fc.constantFrom(...damages),
      fc.nat(),
      ({ type, line }, damage, at) => {
        const blob = Buffer.from(line.split(' ')[1] ?? '', 'base64');
        const broken = damage(blob, at % blob.length).toString('base64');
        const [fault = '', ...more] = sshKeyFaults([line, `${type} ${broken} ada@example.com`]);
        expect(more).toEqual([]);
        expect(fault).toContain('sshPublicKeys[1] (ada@example.com) is not a public key of SSH: ');
        // A few letters may be those of the sentence.
        expect(fault).not.toContain(broken.padEnd(9, '='));
      },
    ),
  );
});

const line = one[0]?.line ?? '';
const blob = line.split(' ')[1] ?? '';
const offCurve = lineOf(
  'ecdsa-sha2-nistp256',
  Buffer.from('nistp256'),
  Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)]),
);
const begin = `it must begin with one of ${Object.keys(makers).join(', ')}; options are not allowed`;

test.each<[string, unknown, string]>([
  ['a number', 7, ''],
  ['nothing', '', ''],
  [
    'a private key',
    '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n',
    'it has more than one line; make each key an item',
  ],
  [
    'a private key in one line',
    '-----BEGIN OPENSSH PRIVATE KEY----- b3BlbnNzaC1rZXk secret',
    begin,
  ],
  ['two keys', `${line}\n${line}`, 'it has more than one line; make each key an item'],
  ['options, which would get lost', `no-pty ${line}`, begin],
  ['a certificate', `ssh-ed25519-cert-v01@openssh.com ${blob}`, begin],
  ['a name that each object has', `constructor ${blob}`, begin],
  [
    'another type than its text says',
    `ssh-rsa ${blob}`,
    'its text is not that of a key of ssh-rsa',
  ],
  ['a type without a text', 'ssh-rsa', 'what follows its type is not base64, or cut off'],
  [
    'base64 that is cut off',
    `ssh-rsa ${blob.slice(0, -2)}`,
    'what follows its type is not base64, or cut off',
  ],
  ['a point beside its curve', offCurve, 'its text is not that of a key of ecdsa-sha2-nistp256'],
])('%s is none', (_name, key, why) => {
  expect(sshKeyFaults([key])).toEqual([
    `sshPublicKeys[0] is not a public key of SSH: ${why === '' ? begin : why}`,
  ]);
});
