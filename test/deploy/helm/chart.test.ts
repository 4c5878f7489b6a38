/** The chart without a cluster: what it renders and refuses, and that nothing is out of date. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { chart, manifests, plainManifests, renderChart } from '../../../deploy/helm/render.ts';
import { preparedBinary } from '../../../deploy/local/binaries/acquire.ts';
import { runProgram } from '../../../deploy/local/binaries/program.ts';
import { CommanderError } from 'commander';
import type { AlertRule, AlertRules } from '../../../deploy/monitoring/rules.ts';
import { readRules } from '../../../deploy/monitoring/rules.ts';
import { readArguments } from '../../support/command-line.ts';
import { readCommandLine } from '../../../workers/config/config.ts';
import { ConfigError } from '../../../workers/config/config.ts';
import { version } from '../../../workers/config/version.ts';
import { entrances } from '../../../tools/build/processes.ts';
import { isNight } from '../../e2e/support/test-stack.ts';

interface Container {
  args: string[];
  env?: { name: string; value?: string }[];
  ports?: { containerPort: number }[];
}

interface Subject {
  kind: string;
  name: string;
}

interface Rendered {
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  subjects?: Subject[];
  rules?: { verbs: string[]; resourceNames?: string[] }[];
  spec?: {
    template?: { spec: { serviceAccountName: string; containers: [Container] } };
    /** Of a Pod. */
    containers?: Container[];
    /** Of an admission policy. */
    matchConditions?: { expression: string }[];
    validations?: { expression: string }[];
  };
}

let helm: string;
beforeAll(async () => void (helm = await preparedBinary('helm')));

const folder = join(chart, 'examples');
const examples = readdirSync(folder).map((file) => join(folder, file));

async function objectsForManager(args: readonly string[]): Promise<Rendered[]> {
  const objects = await render(args);
  return objects.filter(({ metadata }) => metadata.namespace === 'cloud-init-settings');
}

async function render(args: readonly string[], program = helm): Promise<Rendered[]> {
  const text = await renderChart({ helm: program, namespace: 'machines', args });
  return parseAllDocuments(text).map((document): Rendered => document.toJS());
}

/** Watcher and worker as two Deployments. */
const apart = '--set=watcher.apart=true';

const digest = `sha256:${'0'.repeat(64)}`;

async function jobOf(...args: string[]): Promise<Rendered | undefined> {
  return (await render(args)).find(({ kind }) => kind === 'Job');
}

async function prometheusRulesOf(...args: string[]): Promise<Rendered[]> {
  return (await render(args)).filter(({ kind }) => kind === 'PrometheusRule');
}

function containersOf(objects: readonly Rendered[]): Container[] {
  return objects.flatMap(({ spec }) => spec?.template?.spec.containers ?? []);
}

function faultsOfCommand(argv: readonly string[]): string[] {
  try {
    readArguments(argv);
    return [];
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return [error.message];
  }
}

/** What the process itself says of its flags, but for files that are in the pod only. */
function faultsOf({ args: [entrance = '', ...argv], env = [] }: Container): readonly string[] {
  const component = entrance.replace(/\.js$/, '');
  if (component === 'millwright') return faultsOfCommand(argv);
  if (component !== 'watcher' && component !== 'worker' && component !== 'front')
    return [`no process: ${entrance}`];
  const ofFiles = /does not exist|cannot be read/;
  try {
    const variables = env.map(({ name, value }) => [name, value]);
    readCommandLine({ component, argv, env: Object.fromEntries(variables) });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.filter((fault) => !ofFiles.test(fault));
  }
}

/** With the name of what makes it. */
function podIn(object: Rendered): { name: string; pod: object }[] {
  const { kind, metadata, spec } = object;
  const pod = kind === 'Pod' ? object : spec?.template;
  return pod ? [{ name: metadata.name, pod }] : [];
}

/** Kinds and names outside of the namespace of a release. */
async function namesBeside(namespace: string, ...args: string[]): Promise<string[]> {
  const text = await renderChart({ helm, namespace, args });
  const objects = parseAllDocuments(text).map((document): Rendered => document.toJS());
  return objects
    .filter(({ metadata }) => metadata.namespace !== namespace)
    .map(({ kind, metadata }) => `${kind} ${metadata.name}`);
}

/** Names of the NetworkPolicies of split workers. */
async function networkPoliciesOf(...args: string[]): Promise<string[]> {
  const split = ['--set=fullnameOverride=m', `--values=${join(folder, 'split-workers.yaml')}`];
  const policies = (await render([...split, ...args])).filter(
    ({ kind }) => kind === 'NetworkPolicy',
  );
  return policies.map(({ metadata }) => metadata.name);
}

/** To whom the admission policies of a control cluster apply. */
async function conditionsFor(...subjects: object[]): Promise<unknown[]> {
  const set = `--set-json=rbac.subjects=${JSON.stringify(subjects)}`;
  const objects = await render(['--set=render=controlRights', set]);
  const policies = objects.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy');
  return policies.map(({ spec }) => spec?.matchConditions?.[0]?.expression);
}

const variables = (...names: string[]) => names.map((name) => ({ name, value: name }));

function policyOf(objects: readonly Rendered[], ending: string): Rendered | undefined {
  return objects.find(
    ({ kind, metadata: { name } }) => kind === 'ValidatingAdmissionPolicy' && name.endsWith(ending),
  );
}

/** Of a LabelSelector. */
const inList = (key: string, ...values: string[]) => ({ key, operator: 'In', values });

/** What our processes may write in kube-system. */
async function tokensRule(...args: string[]): Promise<string> {
  const policy = policyOf(await render(args), '-tokens');
  return policy?.spec?.validations?.[0]?.expression ?? '';
}

async function alerts(...args: string[]): Promise<AlertRule[]> {
  const objects = await render(['--set=metrics.prometheusRule.enabled=true', ...args]);
  const found = objects.find(({ kind }) => kind === 'PrometheusRule');
  const { groups }: AlertRules = Object(found?.spec);
  return groups.flatMap(({ rules }) => rules);
}

async function peopleRoles(...args: string[]): Promise<Rendered[]> {
  return (await render(args)).filter(({ metadata }) => metadata.name.includes('-people-'));
}

function aggregatedTo({ metadata }: Rendered): string[] {
  const labels = Object.keys(metadata.labels ?? {});
  return labels.flatMap((name) => /aggregate-to-(\w+)/.exec(name)?.[1] ?? []);
}

describe('the chart', () => {
  test('passes lint with each example', async () => {
    const values = examples.map((file) => ['--values', file]);
    for (const args of [[], ...values]) {
      const said = await runProgram(helm, ['lint', '--strict', chart, ...args]);
      expect(said).toContain('1 chart(s) linted, 0 chart(s) failed');
    }
  });

  test('brings all CRDs', async () => {
    const shown = await runProgram(helm, ['show', 'crds', chart], { errorsApart: true });
    const crds = parseAllDocuments(shown).map((document): Rendered => document.toJS());
    const names = ['machineclasses', 'machinedeployments', 'machines', 'machinesets'];
    expect(crds.map(({ metadata }) => metadata.name).toSorted()).toEqual([
      'disruptionpolicies.millwright.dev',
      ...names.map((name) => `${name}.machine.sapcloud.io`),
    ]);
  });

  test('is of the version in package.json', () => {
    const { version: own, appVersion } = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8'));
    expect([own, appVersion]).toEqual([version, version]);
  });

  test('is what the plain manifests were made of; else: npm run manifests', async () => {
    const made = await plainManifests(helm);
    expect(readdirSync(manifests).toSorted()).toEqual(Object.keys(made).toSorted());
    for (const [name, text] of Object.entries(made)) {
      expect(readFileSync(join(manifests, name), 'utf8')).toBe(text);
    }
  });

  test.each([
    { values: 'none', args: [] },
    { values: 'a watcher apart', args: [apart] },
    ...examples.map((file) => ({ values: basename(file), args: [`--values=${file}`] })),
  ])('starts processes that know their flags: $values', async ({ values, args }) => {
    const containers = containersOf(await render(args));
    expect(containers.flatMap(faultsOf)).toEqual([]);
    expect(containers.length > 0).toBe(values !== 'gardener-shoot.yaml');
  });

  test('lets a process have a flag otherwise than all processes, also as false, 0 or empty', async () => {
    const all = { 'ambient-credentials': true, v: 4, 'node-conditions': 'a', 'log-level': 'warn' };
    const own = { 'ambient-credentials': false, v: 0, 'node-conditions': '' };
    const args = [
      `--set-json=flags=${JSON.stringify(all)}`,
      `--set-json=workers.worker.flags=${JSON.stringify(own)}`,
      apart,
    ];
    const objects = (await render(args)).filter(({ kind }) => kind === 'Deployment');
    const given = containersOf(objects).map((container) =>
      container.args.filter((arg) => /^--(ambient|v=|node-conditions|log-level)/.test(arg)),
    );
    expect(given).toEqual([
      ['--ambient-credentials=true', '--log-level=warn', '--node-conditions=a', '--v=4'],
      ['--ambient-credentials=false', '--log-level=warn', '--node-conditions=', '--v=0'],
    ]);
  });

  test('gives the numbers of flags as they are written', async () => {
    const numbers = { 'kube-api-qps': 0.5, 'max-cached-workflows': 3_000_000, v: 0 };
    const [first] = containersOf(await render([`--set-json=flags=${JSON.stringify(numbers)}`]));
    const given = ['--kube-api-qps=0.5', '--max-cached-workflows=3000000', '--v=0'];
    expect(first?.args).toEqual(expect.arrayContaining(given));
  });

  test('lets drivers read what operating-system-manager made only where that is turned on', async () => {
    expect(await objectsForManager([])).toEqual([]);
    for (const wide of [false, true]) {
      const on = ['userData.operatingSystemManager=true', `rbac.clusterWide=${wide}`];
      const [role, binding, ...others] = await objectsForManager(
        on.map((value) => `--set=${value}`),
      );
      expect([role?.kind, binding?.kind, others]).toEqual(['Role', 'RoleBinding', []]);
      expect(role?.rules).toEqual([{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }]);
    }
  });

  test('mounts the keys of payloads from their Secret, and names the file to each process', async () => {
    const secret = 'temporal.payloadKeys.secretName=payload-keys';
    const set = ['--set', secret, '--set', 'temporal.payloadKeys.key=mine'];
    const text = await renderChart({ helm, namespace: 'machines', args: set });
    // The Job that names the current version reads no payload.
    const objects = (await render([...set, apart])).filter(({ kind }) => kind !== 'Job');
    const containers = containersOf(objects);
    expect(containers.length).toBeGreaterThan(1);
    for (const { args } of containers) {
      expect(args).toContain('--payload-keys=/etc/millwright/payload-keys/keys');
    }
    expect(text).toContain(
      'secret: { secretName: payload-keys, defaultMode: 0440, items: [{ key: mine, path: keys }] }',
    );
    expect(await renderChart({ helm, namespace: 'machines' })).not.toContain('payload-keys');
  });

  test('sends the traces of all processes to the collector, and only where that is wanted', async () => {
    const values = ['endpoint=https://otlp.example.com', 'ratio=0.25', 'headers.secretName=otlp'];
    const set = ['enabled=true', ...values].map((value) => `--set=traces.${value}`);
    const objects = await render([...set, apart]);
    const containers = containersOf(objects.filter(({ kind }) => kind === 'Deployment'));
    expect(containers.length).toBeGreaterThan(1);
    for (const { args, env } of containers) {
      expect(args).toContain('--traces=otlp');
      expect(env).toEqual([
        { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'https://otlp.example.com' },
        {
          name: 'OTEL_EXPORTER_OTLP_HEADERS',
          valueFrom: { secretKeyRef: { name: 'otlp', key: 'headers' } },
        },
        { name: 'OTEL_TRACES_SAMPLER', value: 'traceidratio' },
        { name: 'OTEL_TRACES_SAMPLER_ARG', value: '0.25' },
      ]);
    }
    expect(containers.flatMap(faultsOf)).toEqual([]);
    expect(await renderChart({ helm, namespace: 'machines' })).not.toMatch(/traces|OTEL/);
  });

  test.each([
    ['http://collector.observability:4318', 4318],
    ['http://collector.observability', 80],
    ['https://otlp.example.com/v1', 443],
    ['http://[fd00::1]:4318', 4318],
  ])('lets traces out to %s', async (endpoint, port) => {
    const set = [
      'networkPolicy.enabled=true',
      'traces.enabled=true',
      `traces.endpoint=${endpoint}`,
    ];
    const objects = await render(set.map((value) => `--set=${value}`));
    const policy = objects.find(({ kind }) => kind === 'NetworkPolicy');
    const ports = expect.arrayContaining([{ port, protocol: 'TCP' }]);
    expect(policy).toHaveProperty('spec.egress', expect.arrayContaining([{ ports }]));
  });

  test.each([
    ['http://proxy.example:3128', 3128],
    ['http://user:secret@proxy.example:8080/', 8080],
    ['proxy.example:3129', 3129],
    ['http://proxy.example', 80],
  ])('lets requests out to the proxy %s', async (proxy, port) => {
    const set = ['networkPolicy.enabled=true', `proxy.httpsProxy=${proxy}`];
    const objects = await render(set.map((value) => `--set=${value}`));
    const policy = objects.find(({ kind }) => kind === 'NetworkPolicy');
    const ports = expect.arrayContaining([{ port, protocol: 'TCP' }]);
    expect(policy).toHaveProperty('spec.egress', expect.arrayContaining([{ ports }]));
  });

  test('lets a worker out to the metadata service that has its own credentials', async () => {
    expect(await networkPoliciesOf()).toEqual(['m', 'm-aws-metadata']);
    expect(await networkPoliciesOf('--set=networkPolicy.enabled=false')).toEqual([]);
    expect(await networkPoliciesOf('--set=workers.aws.flags.ambient-credentials=false')).toEqual([
      'm',
    ]);
    const all = ['flags.ambient-credentials=true', 'workers.aws.flags.ambient-credentials=false'];
    const others = ['m', 'm-core-metadata', 'm-drain-metadata'];
    expect(await networkPoliciesOf(`--set=${all.join()}`)).toEqual(others);
  });

  test('takes a name of digits for a name', async () => {
    const text = await renderChart({
      helm,
      namespace: '1234',
      args: [
        '--set-string=fullnameOverride=12,watcher.serviceAccount.name=34,nameOverride=56',
        apart,
        '--set=workers.78.serve={driver},metrics.serviceMonitor.enabled=true',
        '--set=networkPolicy.enabled=true,networkPolicy.temporal.enabled=true',
      ],
    });
    const names = /^[ -]*(?:[\w./]*name|[\w./]*namespace|\S+\/(?:instance|component)): [\d.]+$/gim;
    expect([...text.matchAll(names)].map(([line]) => line.trim())).toEqual([]);
    const values = parseAllDocuments(text).map((document): Rendered => document.toJS());
    expect(
      values.filter(({ metadata: { name, namespace = '' } }) => {
        return typeof name !== 'string' || typeof namespace !== 'string';
      }),
    ).toEqual([]);
  });

  test.each([
    { set: {}, image: `millwright:${version}` },
    { set: { tag: 'b' }, image: 'millwright:b' },
    { set: { digest }, image: `millwright@${digest}` },
    { set: { tag: 'b', digest }, image: `millwright:b@${digest}` },
  ])('runs $image with $set', async ({ set, image }) => {
    const flags = Object.entries(set).map(([name, value]) => `--set=image.${name}=${value}`);
    const job = await jobOf(...flags);
    expect(job).toMatchObject({ spec: { template: { spec: { containers: [{ image }] } } } });
  });

  test('starts only what the image holds', async () => {
    const pods = await render(['--set=front.enabled=true', apart]);
    const named = pods.flatMap(({ spec }) => [
      ...(spec?.template?.spec.containers ?? []),
      ...(spec?.containers ?? []),
    ]);
    const started = new Set(named.map(({ args: [entrance = ''] }) => entrance));
    const held = Object.keys(entrances).map((name) => `${name}.js`);
    expect([...started].toSorted()).toEqual(held.toSorted());
  });

  test('gives all its pods what is said of pods, those of Jobs and tests as well', async () => {
    const values = {
      podLabels: { team: 'a' },
      podAnnotations: { 'linkerd.io/inject': 'disabled' },
      nodeSelector: { pool: 'system' },
      tolerations: [{ key: 'system', operator: 'Exists' }],
    };
    const set = Object.entries(values).map(
      ([name, value]) => `--set-json=${name}=${JSON.stringify(value)}`,
    );
    const { podLabels: labels, podAnnotations: annotations, ...spec } = values;
    for (const more of [[], ['--is-upgrade']]) {
      const objects = await render([...set, apart, ...more]);
      const pods = objects.flatMap(podIn);
      expect(pods.map(({ name }) => name.replace(/-[0-9a-f]{8}$/, '')).toSorted()).toEqual(
        ['test', 'version', 'watcher', 'worker'].map((name) => `millwright-${name}`),
      );
      for (const { pod } of pods)
        expect(pod).toMatchObject({ metadata: { labels, annotations }, spec });
    }
  });

  // As a hook: test/e2e/install/chart.test.ts, for it takes workers in a cluster.
  test('makes its version current by a Job of the release, where no worker is ready', async () => {
    const [first, other] = await Promise.all([jobOf(), jobOf('--set=image.tag=other')]);
    // A Job cannot be changed.
    const metadata = { name: expect.stringMatching(/^millwright-version-[0-9a-f]{8}$/) };
    expect(first).toMatchObject({ metadata });
    expect(other).toMatchObject({ metadata });
    expect(first).not.toHaveProperty('metadata.annotations');
    expect(other).not.toHaveProperty('metadata.name', first?.metadata.name);
    const job = await jobOf('--is-upgrade');
    expect(job).toMatchObject({
      metadata,
      // It asks Temporal alone.
      spec: { template: { spec: { automountServiceAccountToken: false } } },
    });
    expect(job).not.toHaveProperty('metadata.annotations');
    expect(job).not.toHaveProperty('spec.template.spec.serviceAccountName');
    const wanted = ['setup', '--current=own', '--deployment=machines_millwright'];
    expect(containersOf(job ? [job] : [])).toMatchObject([
      { args: expect.arrayContaining(wanted) },
    ]);
  });

  test('gives its Job the variables by which the watcher reaches Temporal, and no others', async () => {
    const own = [
      { name: 'TEMPORAL_GRPC_META_TEAM', value: 'a' },
      { name: 'TEMPORAL_CONFIG_FILE', value: '/etc/profile/temporal.toml' },
    ];
    const env = [{ name: 'NODE_EXTRA_CA_CERTS', value: '/ca' }, ...own];
    const volume = { name: 'profile', configMap: { name: 'profile' } };
    const mount = { name: 'profile', mountPath: '/etc/profile' };
    const args = [
      `--set-json=watcher.env=${JSON.stringify(env)}`,
      `--set-json=extraVolumes=${JSON.stringify([volume])}`,
      `--set-json=extraVolumeMounts=${JSON.stringify([mount])}`,
    ];
    const spec = { containers: [{ env: own, volumeMounts: [mount] }], volumes: [volume] };
    expect(await jobOf(...args)).toMatchObject({ spec: { template: { spec } } });
    expect(await jobOf(...args.slice(1))).not.toHaveProperty('spec.template.spec.volumes');
  });

  test.each(['versioning.setCurrent', 'versioning.enabled'])(
    'has no such Job without %s',
    async (value) => {
      for (const more of [[], ['--is-upgrade']])
        expect(await jobOf(`--set=${value}=false`, ...more)).toBeUndefined();
    },
  );

  test('names the version of workers that run workflows, as its Job does', async () => {
    const split = `--values=${join(folder, 'split-workers.yaml')}`;
    const named = (await render([split, '--set=versioning.buildId=b'])).flatMap((object) =>
      containersOf([object]).map(({ args }) => ({
        name: object.metadata.name.replace(/-[0-9a-f]{8}$/, ''),
        flags: args.filter((arg) => /deployment=|build-id=|current=/.test(arg)),
      })),
    );
    expect(named.filter(({ flags }) => flags.length > 0)).toEqual([
      {
        name: 'millwright-core',
        flags: ['--worker-deployment=machines_millwright', '--build-id=b'],
      },
      { name: 'millwright-version', flags: ['--current=b', '--deployment=machines_millwright'] },
    ]);
    const off = containersOf(await render([split, '--set=versioning.enabled=false']));
    expect(off.flatMap(({ args }) => args).join()).not.toContain('worker-deployment');
  });

  test('brings the alerts, where that is asked for', async () => {
    expect(await prometheusRulesOf()).toEqual([]);
    const [rule] = await prometheusRulesOf('--set=metrics.prometheusRule.enabled=true');
    expect(rule?.spec).toEqual(readRules());
  });

  test('scrapes as the job that the alerts read, whatever its release is called', async () => {
    const args = ['--set=metrics.serviceMonitor.enabled=true', '--set=nameOverride=machines'];
    const monitor = (await render(args)).find(({ kind }) => kind === 'ServiceMonitor');
    expect(monitor?.spec).toMatchObject({
      endpoints: [{ relabelings: [{ targetLabel: 'job', replacement: 'millwright' }] }],
      podTargetLabels: ['app.kubernetes.io/instance', 'app.kubernetes.io/component'],
    });
  });

  test.each([
    { namespaces: 'a,b', places: ['a', 'b'], readsNamespaces: false },
    { namespaces: 'labels:fleet=one', places: [undefined], readsNamespaces: true },
    { namespaces: 'all', places: [undefined], readsNamespaces: true },
  ])(
    'gives a fleet of $namespaces its rights in $places',
    async ({ namespaces, places, readsNamespaces }) => {
      // A comma would begin another value.
      const value = namespaces.replaceAll(',', String.raw`\,`);
      const args = ['--set=install=one', '--set-string', `fleet.namespaces=${value}`];
      const objects = await render(args);
      const cores = objects.filter(({ kind, metadata: { name } }) => {
        return kind.endsWith('Role') && /^(machines\.)?millwright-core$/.test(name);
      });
      expect(cores.map(({ metadata }) => metadata.namespace)).toEqual(places);
      const fleet = objects.filter(({ metadata }) => metadata.name.endsWith('millwright-fleet'));
      expect(fleet.some(({ rules = [] }) => rules.length > 0)).toBe(readsNamespaces);
    },
  );

  test.each([
    { namespaces: 'a,b', places: ['a', 'b'] },
    { namespaces: '', places: ['machines'] },
    { namespaces: 'all', places: [undefined] },
  ])(
    'lets a fleet of "$namespaces" read kubeconfigs in $places',
    async ({ namespaces, places }) => {
      const value = namespaces.replaceAll(',', String.raw`\,`);
      const set = `--set=install=one,fleet.targetSecret=target,fleet.namespaces=${value}`;
      const roles = (await render([set])).filter(
        ({ kind, rules = [] }) =>
          kind.endsWith('Role') &&
          rules.some(({ resourceNames = [] }) => resourceNames.includes('target')),
      );
      expect(roles.map(({ metadata }) => metadata.namespace)).toEqual(places);
    },
  );

  test.each([
    { set: [], names: ['millwright'] },
    { set: ['flags.leader-elect-resource-namespace=b'], names: ['millwright-machines'] },
    { set: [String.raw`fleet.namespaces=a\,b`], names: ['millwright'] },
    {
      set: [String.raw`fleet.namespaces=a\,b`, 'flags.leader-elect-resource-namespace=b'],
      names: ['millwright-a', 'millwright'],
    },
    // They come and go.
    { set: ['fleet.namespaces=all', 'flags.leader-elect-resource-namespace=b'], names: undefined },
  ])('lets watchers write no Leases but $names: $set', async ({ set, names }) => {
    const objects = await render(['install=one', ...set].map((value) => `--set=${value}`));
    const roles = objects.filter(
      ({ kind, metadata: { name } }) => kind.endsWith('Role') && name.endsWith('lease-watcher'),
    );
    expect(roles.length).toBeGreaterThan(0);
    for (const { rules = [] } of roles) {
      expect(rules.find(({ verbs }) => verbs.includes('update'))?.resourceNames).toEqual(names);
    }
  });

  test.each([
    { args: [], name: 'millwright-worker' },
    { args: [`--values=${join(folder, 'split-workers.yaml')}`], name: 'millwright-core' },
    {
      args: ['--set=workers.a.serve={drain},workers.b.serve={core},workers.c.serve={core}'],
      name: 'millwright-b',
    },
  ])('has the watcher in the first worker with the core, at its port: $name', async (one) => {
    const objects = (await render(one.args)).filter(({ kind }) => kind === 'Deployment');
    const ports = objects.map((object) => [
      object.metadata.name,
      containersOf([object])[0]?.args.includes('--with-watcher'),
      containersOf([object])[0]?.ports?.[0]?.containerPort,
    ]);
    const others = ports.filter(([name]) => name !== one.name);
    expect(ports).toContainEqual([one.name, true, 10_258]);
    expect(others).toEqual(others.map(([name]) => [name, false, 10_259]));
    expect(containersOf(objects).flatMap(faultsOf)).toEqual([]);
  });

  test('adds what is said of the watcher to that of the worker that it runs in', async () => {
    const both = { name: 'TEMPORAL_BOTH', value: 'of the watcher' };
    const values = {
      'watcher.flags': { v: 4, 'log-level': 'warn', 'kube-api-qps': 7 },
      'workers.worker.flags': { v: 0 },
      'watcher.env': [...variables('A', 'TEMPORAL_A'), both],
      'workers.worker.env': variables('B', 'TEMPORAL_BOTH'),
    };
    const args = Object.entries(values).map(([at, value]) => {
      return `--set-json=${at}=${JSON.stringify(value)}`;
    });
    const objects = await render(args);
    const [worker] = containersOf(objects.filter(({ kind }) => kind === 'Deployment'));
    const given = ['--kube-api-qps=7', '--log-level=warn', '--v=0'];
    expect(worker?.args).toEqual(expect.arrayContaining(given));
    expect(worker?.args).not.toContain('--v=4');
    expect(worker?.env).toEqual(variables('A', 'TEMPORAL_A', 'B', 'TEMPORAL_BOTH'));
    const [job] = containersOf(objects.filter(({ kind }) => kind === 'Job'));
    expect(job?.env).toEqual(variables('TEMPORAL_A', 'TEMPORAL_BOTH'));
  });

  test('has nothing of the watcher but its roles, bound to the account of the worker', async () => {
    const objects = await render([]);
    const named = objects.filter(({ metadata }) => metadata.name.endsWith('watcher'));
    expect(new Set(named.map(({ kind }) => kind.replace('Cluster', '')))).toEqual(
      new Set(['Role', 'RoleBinding']),
    );
    const subjects = named.flatMap(({ subjects: bound = [] }) => bound.map(({ name }) => name));
    expect(new Set(subjects)).toEqual(new Set(['millwright-worker']));
    expect(JSON.stringify(objects)).not.toContain(':millwright-watcher');
    const two = (await render([apart])).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(two).toEqual(
      expect.arrayContaining(
        ['Deployment', 'PodDisruptionBudget', 'ServiceAccount'].map(
          (kind) => `${kind} millwright-watcher`,
        ),
      ),
    );
  });

  // Helm would fail to change the selector of a Deployment that is there.
  test("leaves a Deployment of MCM's name the labels that it had with the watcher alone", async () => {
    const args = ['--set=watcher.deploymentName=machine-controller-manager'];
    const network = '--set=networkPolicy.enabled=true,flags.ambient-credentials=true';
    const component = { 'app.kubernetes.io/component': 'watcher' };
    const labels = expect.objectContaining(component);
    const objects = await render([...args, network]);
    const deployments = objects.filter(({ kind }) => kind === 'Deployment');
    expect(deployments).toMatchObject([
      {
        metadata: { name: 'machine-controller-manager', labels },
        spec: {
          selector: { matchLabels: labels },
          template: { spec: { serviceAccountName: 'millwright-worker' } },
        },
      },
    ]);
    const [policy] = objects.filter(({ metadata: { name } }) => name.endsWith('-metadata'));
    expect(policy).toMatchObject({ spec: { podSelector: { matchLabels: labels } } });
    const two = (await render([...args, apart])).filter(({ kind }) => kind === 'Deployment');
    expect(two.map(({ metadata }) => metadata.name)).toEqual([
      'machine-controller-manager',
      'millwright-worker',
    ]);
  });

  test('gives each worker the rights of what it serves, and no others', async () => {
    const objects = await render([`--values=${join(folder, 'split-workers.yaml')}`]);
    const roles = (account: string): string[] =>
      objects
        .filter(
          ({ kind, subjects = [] }) =>
            kind.endsWith('RoleBinding') && subjects.some(({ name }) => name === account),
        )
        .map(({ metadata }) => metadata.name.replace('machines.', ''))
        .toSorted();
    const common = ['millwright-identity', 'millwright-lease-worker', 'millwright-worker'];
    const ofWatcher = [
      'millwright-lease-watcher',
      'millwright-target-watcher',
      'millwright-watcher',
    ];
    const ofCore = ['millwright-core', 'millwright-target-core', 'millwright-tokens-core'];
    expect(roles('millwright-core')).toEqual([...ofCore, ...ofWatcher, ...common].toSorted());
    expect(roles('millwright-drain')).toEqual(
      ['millwright-drain', 'millwright-target-drain', ...common].toSorted(),
    );
    expect(roles('millwright-aws')).toEqual(
      ['millwright-driver', 'millwright-tokens-driver', ...common].toSorted(),
    );
  });

  test('writes a ServiceAccount once that several processes share', async () => {
    const split = `--values=${join(folder, 'split-workers.yaml')}`;
    const shared = ['drain', 'aws'].map(
      (worker) => `--set=workers.${worker}.serviceAccount.name=cloud`,
    );
    const objects = await render([split, ...shared, '--skip-tests']);
    const accounts = objects.filter(({ kind }) => kind === 'ServiceAccount');
    const names = accounts.map(({ metadata }) => metadata.name);
    expect(names.toSorted()).toEqual(['cloud', 'millwright-core']);
    const [cloud] = accounts.filter(({ metadata }) => metadata.name === 'cloud');
    expect(cloud?.metadata.annotations).toHaveProperty(['eks.amazonaws.com/role-arn']);
  });

  test('lets a driver in another program read what a driver reads, and write nothing', async () => {
    const objects = await render(['--set-json=externalDrivers=[{"name":"mine"}]']);
    const bindings = objects.filter(({ subjects = [] }) =>
      subjects.some(({ name }) => name === 'mine'),
    );
    const names = bindings.map(({ metadata }) => metadata.name);
    expect(names).toEqual(['millwright-driver', 'machines.millwright-tokens-driver']);
    const verbs = objects
      .filter(({ kind, metadata }) => kind === 'Role' && names.includes(metadata.name))
      .flatMap(({ rules = [] }) => rules.flatMap((rule) => rule.verbs));
    expect(new Set(verbs)).toEqual(new Set(['get', 'list', 'watch']));
  });

  test('knows its own processes by their group, where that is what has the rights', async () => {
    const ofGroup = 'request.userInfo.groups.exists(group, group in ["machines"])';
    const group = { kind: 'Group', name: 'machines' };
    expect(await conditionsFor(group)).toEqual([ofGroup, `!(${ofGroup})`]);
    const either = `request.userInfo.username in ["ada"] || ${ofGroup}`;
    const both = await conditionsFor(group, { kind: 'User', name: 'ada' });
    expect(both).toEqual([either, `!(${either})`]);
  });

  const others = { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system'] };
  const ofMachines = { matchLabels: { 'kubernetes.io/metadata.name': 'machines' } };
  const separate = ['target.cluster=separate', 'target.kubeconfig.secretName=a'];
  const fleet = ['install=a', 'fleet.namespaces=all'];
  test.each([
    { set: [], selector: ofMachines },
    { set: ['rbac.clusterWide=true'], selector: { matchExpressions: [others] } },
    { set: fleet, selector: { matchExpressions: [others] } },
    // No rule for tokens: nothing else stands before kube-system.
    { set: ['rbac.clusterWide=true', ...separate], selector: {} },
    { set: [...fleet, 'fleet.targetSecret=a'], selector: {} },
    {
      set: ['install=a', String.raw`fleet.namespaces=kube-system\,machines`],
      selector: ofMachines,
    },
  ])('guards Secrets as far as its rights reach: $set', async ({ set, selector }) => {
    const objects = await render(set.map((value) => `--set=${value}`));
    const policy = policyOf(objects, '-secrets');
    expect(policy).toHaveProperty('spec.matchConstraints.namespaceSelector', selector);
  });

  test.each([
    { fleet: 'all', expressions: [others] },
    { fleet: 'labels:fleet=eu-1', expressions: [inList('fleet', 'eu-1')] },
    {
      fleet: 'labels: a==b, c in (d, e),f notin (g),h!=i,j,!k,x=',
      expressions: [
        inList('a', 'b'),
        inList('c', 'd', 'e'),
        { key: 'f', operator: 'NotIn', values: ['g'] },
        { key: 'h', operator: 'NotIn', values: ['i'] },
        { key: 'j', operator: 'Exists' },
        { key: 'k', operator: 'DoesNotExist' },
        inList('x', ''),
      ],
    },
  ])('keeps others from providerIDs in no namespace but those of $fleet', async (one) => {
    const { fleet: namespaces, expressions } = one;
    const set = `--set-json=fleet=${JSON.stringify({ namespaces })}`;
    const policy = policyOf(await render(['--set=install=a', set]), '-provider-id');
    expect(policy).toHaveProperty('spec.matchConstraints.namespaceSelector', {
      matchExpressions: expressions,
    });
  });

  // With an owner that does not exist the garbage collector deletes a Secret.
  test.each(['data', 'immutable', 'metadata.labels', 'metadata.ownerReferences'])(
    'may not change %s of a Secret',
    async (field) => {
      const [rule] = policyOf(await render([]), '-secrets')?.spec?.validations ?? [];
      expect(rule?.expression).toContain(`&& (has(object.${field}) ? object.${field} : `);
    },
  );

  test.each(['object', 'oldObject'])(
    'reads no providerID of a Machine without a spec, as MCM takes it: %s',
    async (object) => {
      const [rule] = policyOf(await render([]), '-provider-id')?.spec?.validations ?? [];
      const given = `(has(${object}.spec) && has(${object}.spec.providerID) ? `;
      expect(rule?.expression).toContain(given);
    },
  );

  test.each([
    ['a fleet, whose tenants name servers', ['fleet.namespaces=all', 'install=f'], 1],
    [
      'a fleet that wants none',
      ['fleet.namespaces=all,networkPolicy.enabled=false', 'install=f'],
      0,
    ],
    ['a namespace alone', [], 0],
  ])('limits where requests go, of %s', async (_of, values, count) => {
    const objects = await render(values.map((value) => `--set=${value}`));
    expect(objects.filter(({ kind }) => kind === 'NetworkPolicy')).toHaveLength(count);
  });

  test('lets its pods ask the DNS also of OpenShift and of shoots', async () => {
    const objects = await render(['--set=networkPolicy.enabled=true']);
    const policy = objects.find(({ kind }) => kind === 'NetworkPolicy');
    const ports = [53, 5353, 8053].flatMap((port) =>
      ['UDP', 'TCP'].map((protocol) => ({ port, protocol })),
    );
    expect(policy).toHaveProperty('spec.egress.0.ports', ports);
  });

  test('may change finalizers of the Secrets of kube-system where it has Machines there', async () => {
    const strict = await tokensRule();
    expect(strict).toMatch(/startsWith\('bootstrap-token-'\)\)\)$/);
    const there = await tokensRule('--set=machines.namespace=kube-system');
    expect(there).toContain(`${strict} || (request.operation == 'UPDATE' && object.type ==`);
  });

  test.each([
    { flag: 'resource-name=machine-controller-manager', lease: 'machine-controller-manager' },
    { flag: 'resource-namespace=leases', lease: 'millwright-machines', namespace: 'leases' },
  ])('lets it read the Lease of $flag', async ({ flag, lease, namespace = 'machines' }) => {
    const driver = '--set-json=externalDrivers=[{"name":"mine"}]';
    const objects = await render([driver, `--set=flags.leader-elect-${flag}`]);
    const bound = objects.filter(({ subjects = [] }) =>
      subjects.some(({ name }) => name === 'mine'),
    );
    const names = bound.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    const roles = objects.filter(
      ({ kind, metadata }) =>
        kind === 'Role' && names.includes(`${metadata.namespace}/${metadata.name}`),
    );
    const there = roles.filter(({ metadata }) => metadata.namespace === namespace);
    const named = there.flatMap(({ rules = [] }) => rules).flatMap((rule) => rule.resourceNames);
    expect(named).toContain(lease);
  });

  test('asks for nothing outside of the namespace of the Machines in a seed', async () => {
    const objects = await render([`--values=${join(folder, 'gardener-seed.yaml')}`]);
    const roles = objects.filter(({ kind }) => kind.endsWith('Role') || kind.endsWith('Binding'));
    const beside = roles.filter(({ kind, metadata }) => {
      return !kind.startsWith('Validating') && metadata.namespace !== 'machines';
    });
    expect(roles.length).toBeGreaterThan(beside.length);
    expect(beside).toEqual([]);
  });

  test('lets no name of one release meet that of another one', async () => {
    const shared = [
      'flags.leader-elect-resource-namespace=leases',
      'networkPolicy.temporal.enabled=true',
    ];
    const [one, other] = await Promise.all(
      ['team-a', 'team-b'].map((namespace) => namesBeside(namespace, `--set=${shared.join()}`)),
    );
    expect(one).toContainEqual(expect.stringMatching(/^Role .*lease-watcher$/));
    expect(one).toContainEqual(expect.stringMatching(/^NetworkPolicy .*temporal$/));
    expect(one?.filter((name) => other?.includes(name))).toEqual([]);
  });

  test.each([
    [
      'temporal.address=http://temporal',
      "at '/temporal/address': 'http://temporal' does not match",
    ],
    ['temporal.adress=x:7233', "additional properties 'adress' not allowed"],
    ['render=all', "at '/render': value must be one of 'install', 'targetRights', 'controlRights'"],
    ['watcher.replicas=two', "at '/watcher/replicas'"],
    ['workers.worker=null', 'workers: no worker serves "core"; without it no workflow runs'],
    ['target.cluster=separate', 'target.kubeconfig.secretName: is empty'],
    ['target.kubeconfig.secretName=a', 'target.cluster is "same"; allowed with: separate'],
    ['render=targetRights', 'rbac.subjects: is empty'],
    [
      'render=targetRights,rbac.subjects[0].kind=ServiceAccount,rbac.subjects[0].name=a',
      "at '/rbac/subjects/0': missing property 'namespace'",
    ],
    ['terminationGracePeriodSeconds=20', 'allowed: more than --shutdown-grace-period'],
    ['flags.shutdown-grace-period=1m30s', '--shutdown-grace-period, which is 1m30s in worker'],
    [
      'watcher.flags.shutdown-grace-period=1m30s',
      '--shutdown-grace-period, which is 1m30s in worker',
    ],
    [
      'workers.worker.flags.shutdown-grace-period=30s',
      '--shutdown-grace-period, which is 30s in worker',
    ],
    ['flags.port=9090', 'flags.port: is not allowed; the ports are 10258 of the watcher'],
    [
      'watcher.flags.namespace=a',
      'watcher.flags.namespace: is not allowed; use machines.namespace',
    ],
    ['workers.worker.flags.serve=core', 'is not allowed; use workers.NAME.serve'],
    ['flags.with-watcher=true', 'flags.with-watcher: is not allowed; use watcher.apart'],
    ...['replicas=3', 'resources.limits.memory=1Gi', 'serviceAccount.name=a'].map((value) => [
      `watcher.${value}`,
      `watcher.${value.replace(/[.=].*/, '')}: is set, but the watcher runs in the worker "worker"`,
    ]),
    [
      'watcher.flags.leader-elect-resource-namespace=a',
      'set flags.leader-elect-resource-namespace, by which all processes and their rights go',
    ],
    ['flags.machine-creation-timout=20m', "additional properties 'machine-creation-timout' not"],
    ['watcher.flags.foo=bar', "at '/watcher/flags': additional properties 'foo' not allowed"],
    ['workers.worker.flags.v=loud', "at '/workers/worker/flags/v'"],
    ['flags.machine-creation-timeout=20', "at '/flags/machine-creation-timeout'"],
    ['install=a/b', "at '/install': 'a/b' does not match"],
    ['workers.test.serve={drain}', "invalid propertyName 'test'"],
    ['workers.version.serve={drain}', "invalid propertyName 'version'"],
    [
      'workers.worker.serve={core,drain,driver:virtual}',
      '"driver:virtual" is not allowed; allowed: the drivers of',
    ],
    ['temporal.tls.secretName=a', 'temporal.tls.enabled is false'],
    ['fleet.namespaces=all', 'install: is empty; fleet.namespaces needs a name'],
    ['fleet.namespaces=A', "at '/fleet/namespaces'"],
    ['fleet.targetTokenSecret=a', 'fleet.targetSecret is empty'],
    ['traces.enabled=true', 'traces.endpoint: is empty'],
    ['traces.endpoint=http://a:4318', 'traces.enabled is false'],
    ['traces.endpoint=a:4318', "at '/traces/endpoint': 'a:4318' does not match"],
    ['traces.ratio=2', "at '/traces/ratio'"],
    [
      'traces.enabled=true,traces.endpoint=http://a,flags.traces=otlp',
      'flags.traces: is set, and traces.enabled as well',
    ],
  ])('refuses %s', async (setting, words) => {
    await expect(
      renderChart({ helm, namespace: 'machines', args: ['--set', setting] }),
    ).rejects.toThrow(words);
  });

  test('links alerts to the pages where they are, and leaves out those that are not wanted', async () => {
    const all = await alerts();
    const base = '--set=metrics.prometheusRule.runbookBaseUrl=https://wiki.example/runbooks/';
    const off = '--set=metrics.prometheusRule.disabled={MillwrightDrainBlocked}';
    const linked = await alerts(base);
    expect(linked.map(({ annotations }) => annotations.runbook_url)).toEqual(
      all.map(({ annotations: { runbook_url: path } }) =>
        path.replace('docs/runbooks/', 'https://wiki.example/runbooks/'),
      ),
    );
    expect(await alerts(base, off)).toEqual(
      linked.filter(({ alert }) => alert !== 'MillwrightDrainBlocked'),
    );
    const unknown = alerts('--set=metrics.prometheusRule.disabled={Nothing}');
    await expect(unknown).rejects.toThrow('there is no alert Nothing');
  });

  test('reaches the API server of its own cluster without a proxy', async () => {
    const set = ['--set=proxy.httpsProxy=http://proxy:3128', '--set=proxy.noProxy=.svc'];
    const [{ env = [] } = { env: [] }] = containersOf(await render(set));
    expect(env).toContainEqual({ name: 'NO_PROXY', value: '$(KUBERNETES_SERVICE_HOST),.svc' });
    const [{ env: none = [] } = { env: [] }] = containersOf(await render([]));
    expect(none.map(({ name }) => name)).not.toContain('NO_PROXY');
  });

  test('gives people machines with the roles that they have in a namespace', async () => {
    const [view, edit] = await peopleRoles();
    expect(view && aggregatedTo(view)).toEqual(['view', 'edit', 'admin']);
    expect(edit && aggregatedTo(edit)).toEqual(['edit', 'admin']);
    expect(view?.rules?.flatMap(({ verbs }) => verbs)).not.toContain('patch');
    expect(edit?.rules?.[0]?.verbs).toContain('patch');
    expect(await peopleRoles('--set=rbac.aggregate=false')).toEqual([]);
  });

  test('lets the cluster choose users, as OpenShift does, for all pods', async () => {
    const none = ['runAsUser', 'runAsGroup', 'fsGroup'].map(
      (field) => `--set=podSecurityContext.${field}=null`,
    );
    const chosen = (await render(none)).flatMap(podIn);
    const kept = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } };
    expect(chosen.length).toBeGreaterThan(2);
    for (const { pod } of chosen) {
      expect(pod).toMatchObject({ spec: { securityContext: kept } });
      expect(JSON.stringify(pod)).not.toContain('65532');
    }
    const bare = ['--set=podSecurityContext=null', '--set=securityContext=null'];
    expect(JSON.stringify(await render(bare))).not.toContain('securityContext');
  });

  test('says what happens next', async () => {
    const target = `--values=${join(folder, 'gardener-seed.yaml')}`;
    const said = await runProgram(
      helm,
      ['install', 'millwright', chart, '--namespace=shoot', '--dry-run=client', target],
      { env: { KUBECONFIG: '/nowhere' }, errorsApart: true },
    );
    const [, notes = ''] = said.split('NOTES:');
    expect(notes).toContain('rollout status deployment/machine-controller-manager\n');
    expect(notes).toContain('logs deployment/machine-controller-manager\n');
    expect(notes).toContain('The target cluster needs the rights as well');
    expect(notes).toContain('Temporal is reached without TLS');
  });

  (isNight() ? test : test.skip)('is the same for Helm 3 (by night)', async () => {
    const older = await preparedBinary('helm3');
    for (const args of [[], ...examples.map((file) => [`--values=${file}`])]) {
      const [by3, by4] = await Promise.all([older, helm].map((program) => render(args, program)));
      expect(by3).toEqual(by4);
    }
    await runProgram(older, ['lint', '--strict', chart]);
  });
});
