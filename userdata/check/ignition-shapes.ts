import {
  all,
  fields,
  flag,
  flags,
  form,
  list,
  number,
  secret,
  text,
  texts,
  when,
  whole,
  words,
  type Fields,
  type Shape,
} from './shapes.ts';

const path = form(
  /^(\/|(\/(?!\.{1,2}(\/|$))[^/]+)+)$/,
  'an absolute path without //, . and .., and no / at its end',
);
const mode = {
  ...whole,
  minimum: 0,
  maximum: 0o7777,
  'x-allowed': 'a mode from 0 to 4095, decimal',
};
const hash = form(
  /^(sha512-[0-9a-fA-F]{128}|sha256-[0-9a-fA-F]{64})$/,
  'sha512- with 128 hexadecimal digits, or sha256- with 64',
);
/** A data address may be a secret. */
const address: Shape = {
  ...form(
    /^$|^((https?|tftp|gs|s3):\/\/\S+|arn:\S+|data:[^,]*,[^]*)$/i,
    'an address of http, https, tftp, s3, gs, arn or data',
  ),
  'x-secret': true,
};
const guid = form(
  /^(|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$/,
  'of the form 01234567-89AB-CDEF-EDCB-A98765432101',
);
const unitName = form(
  /\.(service|socket|device|mount|automount|swap|target|path|timer|snapshot|slice|scope)$/,
  'the name of a unit, with an ending such as .service',
);
const dropInName = form(/\.conf$/, 'a name with the ending .conf');

const headers = list(
  fields({ name: form(/./, 'the name of a header'), value: { ...secret, minLength: 1 } }),
);
const resource: Shape = {
  ...fields({
    source: address,
    compression: words('gzip', ''),
    httpHeaders: headers,
    verification: fields({ hash }),
  }),
  dependentSchemas: {
    httpHeaders: {
      required: ['source'],
      properties: { source: form(/^https?:/i, 'an address of http or https, as it has headers') },
    },
  },
  ...when(
    { properties: { verification: { required: ['hash'] } }, required: ['verification'] },
    { required: ['source'] },
  ),
};
const sourced = { ...resource, required: ['source'] };

const owner: Shape = {
  ...fields({ id: whole, name: text }),
  ...when(
    { required: ['id'] },
    { properties: { name: { const: '', 'x-allowed': 'allowed beside id' } } },
  ),
};
const node = { path, overwrite: flag, user: owner, group: owner };

const file: Shape = {
  ...fields({ ...node, mode, contents: resource, append: list(resource) }, { required: 'path' }),
  ...when(
    { properties: { overwrite: { const: true } }, required: ['overwrite'] },
    { required: ['contents'], properties: { contents: { required: ['source'] } } },
  ),
};

const goneField = { not: {}, 'x-allowed': 'allowed where shouldExist is false' };

const partition: Shape = {
  ...fields({
    number: whole,
    label: form(/^[^:]{0,36}$/, 'a label of at most 36 characters, without a colon'),
    ...all('guid typeGuid', guid),
    ...all('sizeMiB startMiB', whole),
    ...flags('resize shouldExist wipePartitionEntry'),
  }),
  ...when({ properties: { number: { const: 0 } } }, { required: ['label'] }),
  allOf: [
    when(
      { properties: { shouldExist: { const: false } }, required: ['shouldExist'] },
      { properties: all('label guid typeGuid sizeMiB startMiB', goneField) },
    ),
  ],
};

/** Characters of a label, by format. */
const longestLabels = { ext4: 16, btrfs: 256, xfs: 12, swap: 15, vfat: 11 };

const filesystem: Shape = {
  ...fields(
    {
      ...all('device path', path),
      format: words(`${Object.keys(longestLabels).join(' ')} none`, ''),
      ...texts('label uuid'),
      wipeFilesystem: flag,
      ...all('mountOptions options', list(text)),
    },
    { required: 'device' },
  ),
  ...when(
    {
      anyOf: 'path label uuid options mountOptions'
        .split(' ')
        .map((name) => ({ required: [name] })),
    },
    { required: ['format'] },
  ),
  allOf: Object.entries(longestLabels).map(([format, maxLength]) => {
    const label = { maxLength, 'x-allowed': `a label of at most ${maxLength} characters` };
    const isOfFormat = { properties: { format: { const: format } }, required: ['format'] };
    return when(isOfFormat, { properties: { label } });
  }),
};

const raid: Shape = {
  ...fields(
    {
      name: text,
      level: words('linear raid0 0 stripe raid1 1 mirror raid4 4 raid5 5 raid6 6 raid10 10'),
      devices: list(path, { least: 1 }),
      spares: whole,
      options: list(text),
    },
    { required: 'name level devices' },
  ),
  ...when(
    { properties: { level: { enum: ['linear', 'raid0', '0', 'stripe'] } } },
    { properties: { spares: { const: 0, 'x-allowed': '0: this level has no spares' } } },
  ),
};

const luks = fields(
  {
    name: form(/^[^/]*$/, 'a name without /'),
    label: form(/^[^]{0,47}$/, 'a label of at most 47 characters'),
    device: path,
    uuid: text,
    keyFile: resource,
    ...flags('discard wipeVolume'),
    ...all('options openOptions', list(text)),
    clevis: fields({
      custom: fields({ pin: words('tpm2 tang sss'), config: text, needsNetwork: flag }),
      tang: list(fields(texts('url thumbprint advertisement'))),
      threshold: whole,
      tpm2: flag,
    }),
    cex: fields({ enabled: flag }),
  },
  { required: 'name device' },
);

const unit: Fields = {
  name: unitName,
  contents: text,
  ...flags('enabled mask'),
  dropins: list(fields({ name: dropInName, contents: text }, { required: 'name' })),
};

const user: Fields = {
  ...texts('name gecos homeDir primaryGroup shell'),
  passwordHash: secret,
  ...all('groups sshAuthorizedKeys', list(text)),
  ...flags('noCreateHome noLogInit noUserGroup shouldExist system'),
  uid: whole,
};
const group = { name: text, gid: whole, passwordHash: secret, ...flags('shouldExist system') };

const settings = {
  version: text,
  timeouts: fields(all('httpResponseHeaders httpTotal', whole)),
  proxy: fields({ ...texts('httpProxy httpsProxy'), noProxy: list(text) }),
};

export const ignition3 = fields({
  ignition: fields({
    ...settings,
    config: fields({ merge: list(sourced), replace: resource }),
    security: fields({ tls: fields({ certificateAuthorities: list(sourced) }) }),
  }),
  kernelArguments: fields(all('shouldExist shouldNotExist', list(text))),
  passwd: fields({ users: list(fields(user)), groups: list(fields(group)) }),
  storage: fields({
    disks: list(
      fields(
        { device: path, wipeTable: flag, partitions: list(partition) },
        { required: 'device' },
      ),
    ),
    raid: list(raid),
    luks: list(luks),
    filesystems: list(filesystem),
    files: list(file),
    directories: list(fields({ ...node, mode }, { required: 'path' })),
    links: list(fields({ ...node, target: text, hard: flag }, { required: 'path target' })),
  }),
  systemd: fields({ units: list(fields(unit, { required: 'name' })) }),
});

/** Of Container Linux: nodes name the file system that they are in. */
const node2 = { filesystem: text, ...node };

export const ignition2 = fields({
  ignition: fields({
    ...settings,
    timeouts: fields(all('httpResponseHeaders httpTotal', number)),
    config: fields({ append: list(sourced), replace: sourced }),
    security: fields({ tls: fields({ certificateAuthorities: list(sourced) }) }),
  }),
  networkd: fields({
    units: list(
      fields(
        {
          name: form(
            /\.(network|netdev|link)$/,
            'a name with the ending .network, .netdev or .link',
          ),
          contents: text,
          dropins: unit['dropins'] ?? {},
        },
        { required: 'name' },
      ),
    ),
  }),
  passwd: fields({
    users: list(fields({ ...user, create: fields({}, { others: true }) })),
    groups: list(fields(group)),
  }),
  storage: fields({
    disks: list(
      fields(
        {
          device: path,
          wipeTable: flag,
          partitions: list(
            fields({
              ...texts('label guid typeGuid'),
              ...all('number size sizeMiB start startMiB', whole),
              ...flags('shouldExist wipePartitionEntry'),
            }),
          ),
        },
        { required: 'device' },
      ),
    ),
    raid: list(raid),
    filesystems: list(
      fields({
        ...all('name path', text),
        mount: fields(
          {
            device: path,
            format: words('ext4 btrfs xfs vfat swap'),
            ...texts('label uuid'),
            wipeFilesystem: flag,
            options: list(text),
            create: fields({ force: flag, options: list(text) }),
          },
          { required: 'device format' },
        ),
      }),
    ),
    files: list(
      fields({ ...node2, mode, contents: resource, append: flag }, { required: 'filesystem path' }),
    ),
    directories: list(fields({ ...node2, mode }, { required: 'filesystem path' })),
    links: list(
      fields({ ...node2, target: text, hard: flag }, { required: 'filesystem path target' }),
    ),
  }),
  systemd: fields({
    units: list(fields({ ...unit, enable: flag }, { required: 'name' })),
  }),
});
