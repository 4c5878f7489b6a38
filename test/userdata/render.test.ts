/** What does not show in one text alone: see the golden files for those. */
import { parse } from 'yaml';
import { originOf, placeholderValues, render } from '../../userdata/render.ts';
import { contentsOf } from '../support/user-data/contents.ts';
import { bothOf, someConfig, somePool, someProfile, someValues } from './some-pool.ts';

const secrets = { registry: { username: 'reader', password: 'PASSWORD' } };
const registries = [{ host: 'docker.io', credentialsSecret: 'registry' }];

test('the same values make the same text', () => {
  const pool = somePool({ registries });
  const values = someValues({ secrets });
  expect(render(structuredClone(pool), structuredClone(values))).toEqual(render(pool, values));
});

test('the origin is of the pool: neither of a machine, nor of what is secret', () => {
  const pool = somePool({ registries });
  expect(originOf(pool)).toMatch(/^ubuntu-24\.04@1\.0\.0 sha256:[0-9a-f]{16}$/);
  expect(originOf(pool)).toBe(originOf(structuredClone(pool)));
  expect(originOf(pool)).not.toBe(originOf(somePool()));
  expect(originOf(pool)).not.toBe(originOf({ ...pool, provider: 'AWS' }));
});

test('placeholders say what stands there', () => {
  const pool = somePool({ files: [{ path: '/etc/a', secret: { name: 'agent', key: 'token' } }] });
  const { text } = render(pool, placeholderValues(pool.config));
  expect(text).toContain('hostname: <<MACHINE_NAME>>');
  expect(text).toContain('token: <<BOOTSTRAP_TOKEN>>');
  expect(text).toContain('content: <<SECRET agent/token>>');
});

test('a Secret without the key is named, and nothing of its data', () => {
  const pool = somePool({ registries });
  const values = someValues({ secrets: { registry: { username: 'reader' } } });
  expect(() => render(pool, values)).toThrow(
    'Secret registry has no key password, which the config of the user data names',
  );
});

test('cloud-init and Ignition carry the same files', async () => {
  const config = { ssh: { authorizedKeys: ['ssh-ed25519 AAAA'] }, registries };
  const [one, other] = await Promise.all(
    (['cloud-init', 'ignition'] as const).map(async (format) => {
      const pool = somePool(config, { profile: { ...someProfile('flatcar'), format } });
      return await contentsOf(render(pool, someValues({ secrets })));
    }),
  );
  expect(other).toEqual({ ...one, '/etc/hostname': 'pool-a-7x2kq\n' });
});

test('files with secrets are for root alone', () => {
  const pool = somePool({
    registries,
    files: [{ path: '/etc/a', secret: { name: 'registry', key: 'password' } }],
  });
  const { text } = render(pool, someValues({ secrets }));
  const { write_files: files }: { write_files: { path: string; permissions: string }[] } =
    parse(text);
  const ofRoot = files.filter(({ permissions }) => permissions === '0600').map(({ path }) => path);
  expect(ofRoot).toEqual([
    '/etc/kubernetes/bootstrap-kubelet.conf',
    '/var/lib/kubelet/config.json',
    '/opt/millwright/setup',
    '/etc/a',
  ]);
});

/** What a machine does for the name of its Node. */
const flags = async (provider: string, machineName = 'pool-a-7x2kq') => {
  const rendered = render(somePool({}, { provider }), someValues({ machineName }));
  const contents = await contentsOf(rendered);
  const [, flag] =
    /--hostname-override=(\S+)/.exec(contents['/etc/systemd/system/kubelet.service'] ?? '') ?? [];
  const { hostname }: { hostname?: string } = parse(rendered.text);
  return {
    flag,
    hostname,
    asks: contents['/opt/millwright/setup']?.includes('latest/meta-data'),
  };
};

describe('the name of the Node', () => {
  test.each(['GCP', 'OpenStack', 'virtual', 'somebody/s'])(
    'on %s is the Machine’s',
    async (cloud) => {
      const name = 'pool-a-7x2kq';
      await expect(flags(cloud)).resolves.toEqual({ flag: name, hostname: name, asks: false });
    },
  );

  test.each(['AWS', 'Alicloud'])('on %s is asked for', async (cloud) => {
    await expect(flags(cloud)).resolves.toEqual({ flag: '${NODE_NAME}', asks: true });
  });

  test('may be longer than a host name', async () => {
    const name = `${'a'.repeat(60)}.${'b'.repeat(60)}`;
    await expect(flags('GCP', name)).resolves.toEqual({ flag: name, asks: false });
  });

  test('is the host name where the config says so', () => {
    const pool = somePool({ node: { name: 'hostname' } });
    const { text } = render(pool, someValues());
    expect(text).not.toMatch(/hostname-override|^hostname:|pool-a-7x2kq/m);
  });
});

test('downloads are known for both architectures, from the source that is given', () => {
  const { downloads } = someConfig();
  const pool = somePool({ downloads: { ...downloads, source: 'http://10.1.2.3/mirror/' } });
  const rendered = render(pool, someValues());
  expect(rendered.downloads.map(({ name, architecture }) => `${name} ${architecture}`)).toEqual(
    ['amd64', 'arm64'].flatMap((architecture) =>
      ['kubelet', 'containerd', 'runc', 'cni-plugins', 'crictl'].map(
        (name) => `${name} ${architecture}`,
      ),
    ),
  );
  for (const { url, sha256 } of rendered.downloads) {
    expect(url).toMatch(/^http:\/\/10\.1\.2\.3\/mirror\/(dl\.k8s\.io|github\.com)\//);
    expect(rendered.text).toContain(`${url} ${sha256}`);
  }
  expect(rendered.text).not.toContain('https://github.com');
});

test.each([
  ['2.2.0', 'version = 3'],
  ['1.7.99', 'version = 2'],
])('containerd %s reads %s of its configuration', async (version, first) => {
  const digests = { ...someConfig().downloads?.digests, containerd: { [version]: bothOf('b') } };
  const pool = somePool({ containerRuntime: { version }, downloads: { digests } });
  const contents = await contentsOf(render(pool, someValues()));
  expect(contents['/etc/containerd/config.toml']?.split('\n')[0]).toBe(first);
});

test('packages are those of the profile and the config, or none', () => {
  const profile = { ...someProfile(), packages: ['curl', 'socat'] };
  const packagesOf = (packages: object) =>
    render(somePool({ packages }, { profile }), someValues()).packages;
  expect(packagesOf({ extra: ['jq', 'curl'] })).toEqual(['curl', 'socat', 'jq']);
  expect(packagesOf({ install: false, extra: ['jq'] })).toEqual([]);
});

test('Kubermatic’s spelling of the kubelet’s settings is read', async () => {
  const pool = somePool({
    kubelet: {
      MaxPods: '110',
      ContainerLogMaxFiles: '5',
      ContainerLogMaxSize: '50Mi',
      KubeReserved: 'cpu=200m, memory=300Mi',
      EvictionHard: 'memory.available<100Mi,nodefs.available<10%',
    },
  });
  const contents = await contentsOf(render(pool, someValues()));
  expect(parse(contents['/etc/kubernetes/kubelet.yaml'] ?? '')).toMatchObject({
    maxPods: 110,
    containerLogMaxFiles: 5,
    containerLogMaxSize: '50Mi',
    kubeReserved: { cpu: '200m', memory: '300Mi' },
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '10%' },
  });
});
