/**
 * Official clients of the clouds' own makers on our doubles: what they cannot read, or read
 * otherwise than we mean it, is not what the cloud answers.
 */
import { join } from 'node:path';
import { runProgram } from '../../../deploy/local/binaries/program.ts';
import { repository } from '../../../deploy/local/layout.ts';
import { preparedPython } from '../../../deploy/local/prepare/python.ts';
import { startAlicloudDouble } from '../alicloud/double.ts';
import { startDigitalOceanDouble, token as tokenOfTeam } from '../digitalocean/double.ts';
import { startHetznerDouble, token as tokenOfProject } from '../hetzner/double.ts';

interface Reading {
  script: string;
  url: string;
  /** Or a key's id and secret, with a colon between. */
  token: string;
}

/** What the script has read. */
async function readBy({ script, url, token }: Reading): Promise<unknown> {
  const file = join(repository, 'test/doubles/rest/readers', script);
  const printed = await runProgram(await preparedPython('cloud-readers'), [file, url, token], {
    env: { PYTHONDONTWRITEBYTECODE: '1' },
    errorsApart: true,
    limitMs: 600_000,
    endsWithUs: true,
  });
  return JSON.parse(printed);
}

test("Hetzner's client reads what the double of its API answers", async () => {
  const double = await startHetznerDouble();
  const read = await readBy({ script: 'hetzner.py', url: double.url, token: tokenOfProject });
  await double.close();
  expect(read).toEqual({
    command: 'create_server',
    password: null,
    server: {
      name: 'a',
      status: 'running',
      labels: { role: 'node' },
      location: 'hel1',
      type: 'cx32',
      image: 'ubuntu-24.04',
      locked: false,
      created: true,
      ipv4: expect.stringMatching(/^192\.0\.2\.\d+$/),
      ipv6: expect.stringMatching(/^2001:db8:[0-9a-f]+::\/64$/),
      network: 4712,
      floating: [true],
      protection: false,
    },
    all: 61,
    selected: ['a'],
    floating: true,
    types: ['cx32', 'cpx41'],
    taken: 'uniqueness_error',
    input: 'invalid_input',
    missing: 'not_found',
    updated: { role: 'x' },
    gone: [null, null],
  });
});

test("DigitalOcean's client reads what the double of its API answers", async () => {
  const double = await startDigitalOceanDouble();
  const read = await readBy({ script: 'digitalocean.py', url: double.url, token: tokenOfTeam });
  await double.close();
  expect(read).toEqual({
    rel: 'create',
    lacking: [],
    droplet: {
      name: 'a',
      status: 'active',
      tags: ['role:node'],
      size: 's-2vcpu-4gb',
      region: 'fra1',
      networks: ['private', 'public'],
    },
    page: 20,
    total: 26,
    next: 'https://api.digitalocean.com/v2/droplets?per_page=20&page=2',
    tagged: ['a'],
    named: ['a'],
    missing: 'not_found',
    input: 422,
    associated: ['floating_ips', 'reserved_ips', 'snapshots', 'volume_snapshots', 'volumes'],
    gone: 'not_found',
    left: 24,
  });
});

test("Alibaba Cloud's client reads what the double of its API answers", async () => {
  await using double = await startAlicloudDouble({ accessKeys: { 'LTAI-reader': 'its-secret' } });
  const key = 'LTAI-reader:its-secret';
  const read = await readBy({ script: 'alicloud.py', url: double.url, token: key });
  expect(read).toEqual({
    ids: 1,
    again: true,
    other: [400, 'IdempotentParameterMismatch'],
    instance: {
      id: true,
      name: 'machine-a',
      status: 'Running',
      region: 'eu-central-1',
      zone: 'eu-central-1a',
      type: 'ecs.g7.large',
      image: 'm-gw8iqj3z9vzpljm4v3ob',
      charge: 'PostPaid',
      spot: 'NoSpot',
      protection: false,
      created: true,
      tags: [['role', 'node']],
      locks: [],
      switch: 'vsw-gw8abc',
      private: ['10.0.0.1'],
      public: ['8.8.4.4'],
      eip: '',
      interfaces: [],
    },
    total: 26,
    size: 10,
    pages: [10, 10, 6],
    retagged: [true, ['machine-a'], ['machine-a']],
    named: ['page-2', 'page-20', 'page-21', 'page-22', 'page-23', 'page-24'],
    console: [true, ''],
    updated: true,
    input: [400, 'InvalidSpotStrategy.ValueNotSupported'],
    missing: [404, 'InvalidInstanceId.NotFound'],
    running: [403, 'IncorrectInstanceStatus'],
    deleted: true,
    gone: 0,
    actions: [
      'DeleteInstance',
      'DescribeInstances',
      'GetInstanceConsoleOutput',
      'RunInstances',
      'TagResources',
    ],
    unread: [],
    signature: [400, 'SignatureDoesNotMatch'],
  });
  expect(double.cloud.disks.map(({ name }) => name)).toEqual(['disk-False']);
});
